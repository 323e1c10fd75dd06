/** Archives among the files of a folder or of another archive. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ApiError } from "@rungs/contract";
import { fromBufferPromise, fromRandomAccessReaderPromise, RandomAccessReader } from "yauzl";
import type { FileEntry, Files } from "./files.ts";
import { listParts, listZip, ZIP_OPTIONS } from "./zip.ts";

/** The signatures of an archive: an entry, or just the end record. */
const ZIP_MAGIC = ["PK\x03\x04", "PK\x05\x06"];

/** Whether a file is an archive, by its first bytes. */
export function isZip(head: Uint8Array): boolean {
  return ZIP_MAGIC.includes(Buffer.from(head.subarray(0, 4)).toString("latin1"));
}

/** How large the archives inside archives may be together: they are held in memory, because they cannot be read in place. */
const HELD_MAX_BYTES = 256 * 1024 ** 2;

/** Opens archives and counts what they hold in memory. */
interface InnerZips {
  /** Undefined for a zip-based document. Throws `file_unreadable` or `archive_refused`. */
  open(entry: FileEntry, name: string): Promise<Files | undefined>;
}

/** Creates an opener for the archives of one import. */
export function createInnerZips(held_max_bytes = HELD_MAX_BYTES): InnerZips {
  let held_bytes = 0;
  return {
    async open(entry, name) {
      const facts = { name, archive_bytes: entry.size_bytes };
      if (entry.is_seekable) {
        const reader = new EntryReader(entry);
        return await listZip(fromRandomAccessReaderPromise(reader, entry.size_bytes, ZIP_OPTIONS), facts);
      }
      if (held_bytes + entry.size_bytes > held_max_bytes) throw refuseLarge(name, held_max_bytes);
      held_bytes += entry.size_bytes;
      const files = await listZip(fromBufferPromise(await buffer(entry.open()), ZIP_OPTIONS), facts);
      if (!files) held_bytes -= entry.size_bytes;
      return files;
    },
  };
}

/** The maximum size of a zip-based document that cannot be read in place. */
const PACKAGE_MAX_BYTES = 128 * 1024 ** 2;

/** The parts of a zip-based document. Throws `file_unreadable` or `archive_refused`. */
export async function openPackage(entry: FileEntry): Promise<Files> {
  const facts = { name: entry.path, archive_bytes: entry.size_bytes };
  if (!entry.is_seekable && entry.size_bytes > PACKAGE_MAX_BYTES)
    throw refuseLarge(entry.path, PACKAGE_MAX_BYTES);
  const opening = entry.is_seekable
    ? fromRandomAccessReaderPromise(new EntryReader(entry), entry.size_bytes, ZIP_OPTIONS)
    : fromBufferPromise(await buffer(entry.open()), ZIP_OPTIONS);
  return await listParts(opening, facts);
}

class EntryReader extends RandomAccessReader {
  readonly #entry: FileEntry;

  constructor(entry: FileEntry) {
    super();
    this.#entry = entry;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readRange(this.#entry, start, end), { objectMode: false });
  }
}

async function* readRange(entry: FileEntry, start: number, end: number): AsyncGenerator<Uint8Array> {
  let at = start;
  for await (const chunk of entry.open(start, end)) {
    yield chunk.subarray(0, end - at);
    at += chunk.length;
    if (at >= end) return;
  }
}

function refuseLarge(name: string, max_bytes: number): ApiError {
  return new ApiError("archive_refused", {
    message: `${name} is refused: the archives inside the archive come to more than ${max_bytes} bytes.`,
    next: "Unpack the outer archive and import the folder.",
  });
}
