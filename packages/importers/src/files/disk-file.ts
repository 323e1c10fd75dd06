import { constants, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileSource } from "./file-set.ts";

const PIECE_BYTES = 256 * 1024;

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
    read: (from_bytes, to_bytes) => readDisk(place, from_bytes, to_bytes),
  };
}

async function* readDisk({ file, follow }: DiskPlace, start: number, to: number): AsyncGenerator<Uint8Array> {
  const handle = await open(file, follow ? "r" : NO_FOLLOW);
  yield* handle.createReadStream({ start, end: to - 1, highWaterMark: Math.min(PIECE_BYTES, to - start) });
}
