import { constants, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileSource } from "./file-set.ts";

const CHUNK_BYTES = 256 * 1024;

/** A link that took the place of a file after the folder was listed is not followed; Windows has no such flag. */
const NO_FOLLOW = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Where a file is, and whether its name may be a link. */
export interface DiskPlace {
  readonly file: string;
  readonly follow: boolean;
}

/** A file of the file system, under the path that the import calls it by. */
export function createDiskFile(place: DiskPlace, path: string, { size, mtime }: Stats): FileSource {
  return {
    path,
    size_bytes: size,
    modified_at: mtime.toISOString(),
    read: (from_bytes, to_bytes) => readDisk(place, size, from_bytes, to_bytes),
  };
}

/** Not a stream of Node's: for the small files of a mail folder its buffers and events cost more than the reading. */
async function* readDisk({ file, follow }: DiskPlace, size: number, from: number, to: number) {
  const handle = await open(file, follow ? "r" : NO_FOLLOW);
  try {
    for (let at = from; at < to; ) {
      // One byte more than is known to be left: to come short of it there is the end. Earlier it may not be one.
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
