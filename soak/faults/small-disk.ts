/** Full disks and read-only disks, as far as this machine can simulate them. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../program.ts";

/** Of util-linux; only root may mount, and not in every container. */
const [MOUNT, UNMOUNT, LIMIT] = ["mount", "umount", "prlimit"];
const isRoot = process.getuid?.() === 0;

/** Mounts a small disk at a folder; false where mounting is not allowed. */
export function mountSmall(folder: string, megabytes: number): boolean {
  return spawnSync(MOUNT, ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tmpfs", folder]).status === 0;
}

/** Unmounts the disk at a folder. */
export function unmount(folder: string): void {
  execFileSync(UNMOUNT, [folder]);
}

/** Fills the disk of a folder to its last byte; returns a function that frees the space. */
export function fillDisk(folder: string): () => void {
  const file = join(folder, "filler");
  const handle = openSync(file, "w");
  for (const size of [1 << 20, 1 << 12, 1]) writeUntilFull(handle, Buffer.alloc(size));
  closeSync(handle);
  return () => rmSync(file);
}

function writeUntilFull(handle: number, piece: Buffer): void {
  for (;;) {
    try {
      writeSync(handle, piece);
    } catch {
      return;
    }
  }
}

/** Whether the size of a running program's files can be limited here. */
export const canLimit = spawnSync(LIMIT, ["--version"]).status === 0;

/** Makes every file write of a running process fail; returns a function that undoes it. */
export function failWrites({ child }: Program): () => void {
  const limit = (size: string) => execFileSync(LIMIT, ["--pid", String(child.pid), `--fsize=${size}`]);
  limit("0:unlimited");
  return () => void limit("unlimited:unlimited");
}

/** Makes a folder and its files read-only, for root too; returns a function that undoes it, or undefined where that is not allowed. */
export function makeReadOnly(folder: string): (() => void) | undefined {
  if (!isRoot) return takeModes(folder);
  if (spawnSync(MOUNT, ["--bind", folder, folder]).status !== 0) return undefined;
  execFileSync(MOUNT, ["-o", "remount,bind,ro", folder]);
  return () => unmount(folder);
}

function takeModes(folder: string): () => void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  for (const file of files) chmodSync(file, 0o400);
  chmodSync(folder, 0o500);
  return () => {
    chmodSync(folder, 0o700);
    for (const file of files) chmodSync(file, 0o600);
  };
}
