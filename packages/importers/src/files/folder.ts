import { type Dirent, lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "@rungs/contract";
import { createDiskFile } from "./disk-file.ts";
import { createFileSet, type FileSource } from "./file-set.ts";
import type { Files, RefusedFile } from "./files.ts";
import { isJunk } from "./junk.ts";

/** The maximum number of files in a folder: their names are held in memory. */
const ENTRIES_MAX = 1_000_000;

interface Found {
  readonly sources: FileSource[];
  readonly refused: RefusedFile[];
}

/** All files below a folder. Links are never followed: one could lead out of the folder, or form a cycle. */
export async function openFolder(folder: string, name: string): Promise<Files> {
  const found: Found = { sources: [], refused: [] };
  const waiting = [""];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const entry of await readFolder(folder, path, found)) {
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      if (isJunk(entry.name)) continue;
      if (entry.isDirectory()) waiting.push(inner);
      else addFile(folder, inner, entry, found);
    }
    if (found.sources.length > ENTRIES_MAX) throw refuseTooMany(name);
  }
  return createFileSet({ name, ...found });
}

async function readFolder(folder: string, path: string, { refused }: Found): Promise<Dirent[]> {
  try {
    return await readdir(join(folder, path), { withFileTypes: true });
  } catch (error) {
    if (path === "") throw error;
    refused.push({ path, reason: `The folder cannot be read (${describeError(error)}).` });
    return [];
  }
}

function addFile(folder: string, path: string, entry: Dirent, { sources, refused }: Found): void {
  if (!entry.isFile()) {
    const isLink = entry.isSymbolicLink();
    const reason = isLink
      ? "It is a symbolic link and was not followed."
      : "It is a device, a pipe or a socket.";
    refused.push({ path, reason });
    return;
  }
  const file = join(folder, path);
  try {
    sources.push(createDiskFile({ file, follow: false }, path, lstatSync(file)));
  } catch (error) {
    refused.push({ path, reason: `The file cannot be read (${describeError(error)}).` });
  }
}

function describeError(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

function refuseTooMany(name: string): ApiError {
  return new ApiError("file_unreadable", {
    message: `${name} has more than ${ENTRIES_MAX} files.`,
    next: "Import its subfolders one by one.",
  });
}
