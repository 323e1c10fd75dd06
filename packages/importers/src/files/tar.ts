/** The entries of a tar archive as files, read in place. */
import { buffer } from "node:stream/consumers";
import { ApiError } from "@rungs/contract";
import { createFileSet, type FileSource } from "./file-set.ts";
import type { Files, RefusedFile } from "./files.ts";
import { isJunk } from "./junk.ts";
import {
  type PaxRecords,
  parsePax,
  parseTarHeader,
  readText,
  TAR_BLOCK,
  type TarHeader,
} from "./tar-header.ts";
import { requireSafeSize, type ZipLimits, zipLimits } from "./zip-limits.ts";
import { refuseZipName, tidyPath } from "./zip-name.ts";

/** The bytes of an archive, with random access. */
export interface TarBytes {
  readonly name: string;
  readonly size_bytes: number;
  /** Why the bytes end early. */
  readonly problem?: string | undefined;
  read(from_bytes: number, to_bytes: number): AsyncIterable<Uint8Array>;
  close?(): Promise<void>;
}

/** How long a name or the records of a pax header may be. */
const EXTENSION_MAX_BYTES = 1024 ** 2;
const PATH_SHOWN = 256;

/** Entries that are not files, by their type. */
const REASONS: Readonly<Record<string, string>> = {
  "1": "It is a link to another file and was not followed.",
  "2": "It is a symbolic link and was not followed.",
  "3": "It is a device, a pipe or a socket.",
  "4": "It is a device, a pipe or a socket.",
  "6": "It is a device, a pipe or a socket.",
  S: "It is a sparse file, which is not read; unpack the archive and import the folder.",
};
const FILE_TYPES = new Set(["\0", "0", "7"]);
const SKIPPED_TYPES = new Set(["5", "g", "K", "D", "V"]);

/** Lists the files of an archive. */
export async function listTar(archive: TarBytes, limits: ZipLimits = zipLimits): Promise<Files> {
  const { name, close } = archive;
  const sources = new Map<string, FileSource>();
  const refused: RefusedFile[] = [];
  let count = 0;
  for await (const { path: written, at, header } of walk(archive, refused)) {
    count += 1;
    requireSafeSize({ name, archive_bytes: archive.size_bytes, total_bytes: 0, entries: count }, limits);
    const path = tidyPath(written);
    if (path === "" || path.endsWith("/") || path.split("/").some(isJunk)) continue;
    const reason = REASONS[header.type] ?? refuseFile(path, header, sources.has(path));
    if (reason !== undefined) refused.push({ path: path.slice(0, PATH_SHOWN), reason });
    else sources.set(path, createSource(archive, { path, at, header }));
  }
  if (archive.problem !== undefined)
    refused.push({ path: name, reason: `${archive.problem} What came before was read.` });
  return createFileSet({ name, sources: [...sources.values()], refused, close: async () => close?.() });
}

function refuseFile(path: string, { type }: TarHeader, isKnown: boolean): string | undefined {
  if (!FILE_TYPES.has(type)) return "It is an entry of an unknown kind.";
  return isKnown ? "Another entry before it has the same name." : refuseZipName(path);
}

interface TarEntry {
  readonly path: string;
  /** Where its content begins. */
  readonly at: number;
  readonly header: TarHeader;
}

function createSource(archive: TarBytes, { path, at, header }: TarEntry): FileSource {
  const { size_bytes, modified_at } = header;
  return {
    path,
    size_bytes,
    modified_at,
    is_seekable: true,
    read: (from, to) => archive.read(Math.min(at + from, at + size_bytes), at + Math.min(to, size_bytes)),
  };
}

/** Walks from header to header. Damage ends the walk and is reported. */
async function* walk(archive: TarBytes, refused: RefusedFile[]): AsyncGenerator<TarEntry> {
  const { name, size_bytes: end } = archive;
  let next: PaxRecords = {};
  for (let at = 0; at + TAR_BLOCK <= end; ) {
    const block = await readBytes(archive, at, TAR_BLOCK);
    // Zeros end an archive.
    if (block.every((byte) => byte === 0)) return;
    const parsed = parseTarHeader(block);
    if (!parsed) {
      refused.push({ path: name, reason: `It is damaged at byte ${at}; what came before was read.` });
      return;
    }
    const isExtension = parsed.type === "x" || parsed.type === "L";
    const header: TarHeader = isExtension
      ? parsed
      : {
          ...parsed,
          size_bytes: next.size_bytes ?? parsed.size_bytes,
          modified_at: next.modified_at ?? parsed.modified_at,
        };
    const content = at + TAR_BLOCK;
    if (isExtension) {
      const size = requireExtension(name, header.size_bytes);
      const bytes = await readBytes(archive, content, size);
      next = { ...next, ...(parsed.type === "x" ? parsePax(bytes) : { path: readText(bytes) }) };
    } else if (!SKIPPED_TYPES.has(header.type)) {
      const path = next.path ?? header.name;
      next = {};
      if (content + header.size_bytes > end) {
        refused.push({ path: path.slice(0, PATH_SHOWN), reason: "The archive ends inside it." });
        return;
      }
      yield { path, at: content, header };
    } else if (header.type === "5") next = {};
    at = content + Math.ceil(header.size_bytes / TAR_BLOCK) * TAR_BLOCK;
  }
}

function requireExtension(name: string, size: number): number {
  if (size <= EXTENSION_MAX_BYTES) return size;
  throw new ApiError("archive_refused", {
    message: `${name} is refused: one of its headers has more than ${EXTENSION_MAX_BYTES} bytes.`,
  });
}

async function readBytes(archive: TarBytes, at: number, size: number): Promise<Uint8Array> {
  return (await buffer(archive.read(at, at + size))).subarray(0, size);
}
