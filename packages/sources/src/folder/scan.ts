/** Scans the current files of a folder. */
import { lstat } from "node:fs/promises";
import { ApiError } from "@rungs/contract";
import { type FileEntry, type Files, isProgramFile, openFiles } from "@rungs/importers";
import type { FolderSettings } from "./settings.ts";

/** A file, and what shows that it changed. */
export interface ScannedFile {
  readonly entry: FileEntry;
  readonly stamp: FileStamp;
}

/** Changes with the content of a file; `identity` survives a rename. */
export interface FileStamp {
  readonly size_bytes: number;
  readonly modified_ns: string;
  readonly identity: string;
}

/** The content of a folder, and what could not be read. */
export interface FolderScan {
  /** The folder as importers see it, with files that are left out here. */
  readonly folder: Files;
  readonly files: readonly ScannedFile[];
  /** Whether a path is in a part of the folder that cannot be read now. */
  isHidden(path: string): boolean;
}

/** Lists the files of a folder. Hidden files, version control and the junk of systems are left out. */
export async function scanFolder({ path, without_folders = [] }: FolderSettings): Promise<FolderScan> {
  const found = await openFolder(path);
  const without = without_folders.map((each) => `${each.replace(/^\/+|\/+$/g, "")}/`);
  const files: ScannedFile[] = [];
  for await (const entry of found.list()) {
    if (isProgramFile(entry.path) || without.some((each) => entry.path.startsWith(each))) continue;
    const stamp = await readStamp(entry);
    if (stamp) files.push({ entry, stamp });
  }
  const hidden = found.refused.map((each) => `${each.path}/`);
  return { folder: found, files, isHidden: (each) => hidden.some((folder) => `${each}/`.startsWith(folder)) };
}

async function openFolder(path: string): Promise<Files> {
  try {
    if ((await lstat(path)).isDirectory()) return await openFiles(path);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    throw new ApiError("source_unreachable", {
      message: `The folder ${path} cannot be read${code === "ENOENT" ? ": it is not there" : ""}.`,
      next: "Check that its disk is connected; nothing was deleted, and the next run retries.",
    });
  }
  throw new ApiError("source_broken", { message: `${path} is not a folder.`, next: "Name a folder." });
}

/** The stamp of a file; undefined if the file has disappeared meanwhile. */
async function readStamp(entry: FileEntry): Promise<FileStamp | undefined> {
  try {
    const { size, mtimeNs, ino, dev, birthtimeNs } = await lstat(entry.disk_path ?? entry.path, {
      bigint: true,
    });
    // A file system may reuse a deleted file's inode number; the birth time then differs.
    return {
      size_bytes: Number(size),
      modified_ns: String(mtimeNs),
      identity: `${dev}-${ino}-${birthtimeNs}`,
    };
  } catch {
    return undefined;
  }
}
