/** Archives by their first bytes: zip, tar, gzip, and tar inside gzip. */

import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { ApiError } from "@rungs/contract";
import { createFileSet } from "./file-set.ts";
import type { FileEntry, Files } from "./files.ts";
import { createInnerZips, isZip } from "./inner-zip.ts";
import { type Spool, spool } from "./spool.ts";
import { listTar } from "./tar.ts";
import { isTar, TAR_BLOCK } from "./tar-header.ts";

/** How many bytes archive detection needs. */
export const ARCHIVE_HEAD_BYTES = TAR_BLOCK;

/** Whether a file is an archive, by its first bytes. A document may be a zip too. */
export function isArchive(head: Uint8Array): boolean {
  return isZip(head) || isGzip(head) || isTar(head);
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b && head[2] === 0x08;
}

/** Opens the archives of one import. */
export interface ArchiveOpener {
  /** Undefined for a zip-based document. Throws `file_unreadable` or `archive_refused`. */
  open(entry: FileEntry, name: string): Promise<Files | undefined>;
}

/** Creates an opener, which limits the total size of nested archives. */
export function createArchiveOpener(): ArchiveOpener {
  const zips = createInnerZips();
  return {
    async open(entry, name) {
      const head = await entry.head(ARCHIVE_HEAD_BYTES);
      if (isZip(head)) return zips.open(entry, name);
      return isGzip(head) ? openGzip(entry, name) : openTar(entry, name);
    },
  };
}

async function openTar(entry: FileEntry, name: string): Promise<Files> {
  if (entry.is_seekable)
    return listTar({ name, size_bytes: entry.size_bytes, read: (from, to) => readRange(entry, from, to) });
  const unpacked = await spool(entry.open(), { name, archive_bytes: entry.size_bytes });
  return withClose(unpacked, () => listTar({ name, ...unpacked }));
}

async function* readRange(entry: FileEntry, from: number, to: number): AsyncGenerator<Uint8Array> {
  let at = from;
  for await (const chunk of entry.open(from, to)) {
    yield chunk.subarray(0, to - at);
    at += chunk.length;
    if (at >= to) return;
  }
}

/** A tar archive, or one file, which is named without `.gz`. */
async function openGzip(entry: FileEntry, name: string): Promise<Files> {
  const unpacked = await spool(gunzip(entry), { name, archive_bytes: entry.size_bytes });
  return withClose(unpacked, async () => {
    const head = await buffer(unpacked.read(0, TAR_BLOCK));
    if (isTar(head)) return listTar({ name, ...unpacked });
    const { size_bytes, problem, read, close } = unpacked;
    const path = name.replace(/\.gz$/i, "");
    const source = { path, size_bytes, modified_at: entry.modified_at, is_seekable: true, read };
    const reason = `${problem} What came before was read.`;
    return createFileSet({
      name,
      sources: [source],
      refused: problem === undefined ? [] : [{ path: name, reason }],
      close,
    });
  });
}

async function withClose(unpacked: Spool, list: () => Promise<Files>): Promise<Files> {
  try {
    return await list();
  } catch (error) {
    await unpacked.close();
    throw error;
  }
}

async function* gunzip(entry: FileEntry): AsyncGenerator<Uint8Array> {
  const packed = Readable.from(entry.open(), { objectMode: false });
  const unpacked = createGunzip();
  packed.once("error", (error) => unpacked.destroy(error));
  try {
    yield* packed.pipe(unpacked);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiError("file_unreadable", {
      message: `${entry.path} is packed with gzip and cannot be unpacked (${why}).`,
      next: "Download it again; it may have been cut off.",
    });
  } finally {
    packed.destroy();
  }
}
