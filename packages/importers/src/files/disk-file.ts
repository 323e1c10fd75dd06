import { constants, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { FileSource } from "./file-set.ts";

const CHUNK_BYTES = 256 * 1024;

/** Does not follow a link that replaced a file after the folder was listed. Windows has no such flag. */
const NO_FOLLOW = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Where a file is, and whether to follow a link there. */
export interface DiskPlace {
  readonly file: string;
  readonly follow: boolean;
}

/** A file on disk, under its path within the import. */
export function createDiskFile(place: DiskPlace, path: string, { size, mtime }: Stats): FileSource {
  return {
    path,
    size_bytes: size,
    modified_at: mtime.toISOString(),
    is_seekable: true,
    disk_path: resolve(place.file),
    read: (from_bytes, to_bytes) => readDisk(place, size, from_bytes, to_bytes),
  };
}

/** Not a Node stream: for the small files of a mail folder its buffers and events cost more than reading. */
async function* readDisk({ file, follow }: DiskPlace, size: number, from: number, to: number) {
  const handle = await open(file, follow ? "r" : NO_FOLLOW);
  try {
    for (let at = from; at < to; ) {
      // Ask for one byte more than is known to be left: a short read there means the end; earlier it may not.
      const wanted = Math.min(CHUNK_BYTES, to - at, at < size ? size - at + 1 : CHUNK_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(wanted), { position: at });
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      at += bytesRead;
      if (bytesRead === 0 || (bytesRead < wanted && at >= size)) return;
    }
  } finally {
    await handle.close();
  }
}
