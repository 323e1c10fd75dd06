import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { ApiError } from "@rungs/contract";
import { createDiskFile } from "./disk-file.ts";
import { createFileSet } from "./file-set.ts";
import type { Files } from "./files.ts";
import { openFolder } from "./folder.ts";
import { isZip } from "./inner-zip.ts";
import { ARCHIVE_HEAD_BYTES, createArchiveOpener, isArchive } from "./open-archive.ts";
import { openZip } from "./zip.ts";

/** Opens a folder, an archive, or one file. Archives are detected by their bytes. */
export async function openFiles(path: string): Promise<Files> {
  const name = basename(resolve(path));
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return await openFolder(path, name);
    if (!stats.isFile()) throw new Error("it is neither a file nor a folder");
    const head = await readBeginning(path);
    if (!isArchive(head)) return openFile(path, name, stats);
    const archive = isZip(head) ? await openZip(path, name, stats.size) : await openPacked(path, name, stats);
    return archive ?? openFile(path, name, stats);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("file_unreadable", {
      message: `${path} cannot be read (${explainError(error)}).`,
    });
  }
}

async function readBeginning(path: string): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(ARCHIVE_HEAD_BYTES) });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A tar archive, or a gzipped file. */
async function openPacked(path: string, name: string, stats: Stats): Promise<Files | undefined> {
  const entry = await openFile(path, name, stats).find(name);
  return entry && createArchiveOpener().open(entry, name);
}

function openFile(file: string, name: string, stats: Stats): Files {
  return createFileSet({ name, sources: [createDiskFile({ file, follow: true }, name, stats)] });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
};

function explainError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}

/** A digest of names, sizes and times: equal for two runs over unchanged files. */
export async function identifyFiles(files: Files): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(files.name));
  for await (const { path, size_bytes, modified_at } of files.list()) {
    hash.update(JSON.stringify([path, size_bytes, modified_at ?? null]));
  }
  return hash.digest("hex");
}
