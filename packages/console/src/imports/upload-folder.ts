/** Where uploaded files wait for their import: a folder for each, named after the program that removes it. */
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "rungs-upload-";
const NAME = /^rungs-upload-(?<pid>\d+)-\w{6}$/;

/** Makes a folder that only this user reads. */
export function createUploadFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/** Removes what programs that have ended left behind. For before the first upload: a folder of this very number is another's then. */
export async function removeLeftUploads(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(NAME.exec(name)?.groups?.pid);
    if (pid > 0 && (pid === process.pid || !isRunning(pid))) await remove(join(tmpdir(), name));
  }
}

/** A program of another user is running too, though it may not be asked. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** What belongs to another user is theirs to remove, and whoever may remove it must not be led astray by what they put there. */
async function remove(folder: string): Promise<void> {
  const facts = await lstat(folder).catch(() => undefined);
  const isOwn = facts?.isDirectory() && (process.getuid === undefined || facts.uid === process.getuid());
  if (isOwn) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
