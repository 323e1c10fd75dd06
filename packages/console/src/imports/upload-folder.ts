/** The folders of uploaded files until their import ends; each is named after the process that removes it. */
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "rungs-upload-";
const NAME = /^rungs-upload-(?<pid>\d+)-\w{6}$/;

/** Creates a folder that only this user can read. */
export function createUploadFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/** Removes the folders of processes that have ended. Call it before the first upload: a folder with this process id is then left from another process. */
export async function removeLeftUploads(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(NAME.exec(name)?.groups?.pid);
    if (pid > 0 && (pid === process.pid || !isRunning(pid))) await remove(join(tmpdir(), name));
  }
}

/** A process of another user fails with EPERM, and is running too. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Removes only folders of this user: another user could plant a link that leads elsewhere. */
async function remove(folder: string): Promise<void> {
  const facts = await lstat(folder).catch(() => undefined);
  const isOwn = facts?.isDirectory() && (process.getuid === undefined || facts.uid === process.getuid());
  if (isOwn) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
