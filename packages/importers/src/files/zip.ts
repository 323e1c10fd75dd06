/** The entries of an archive as files. They are read in place: nothing is unpacked to disk. */
import { ApiError } from "@rungs/contract";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { createFileSet, type FileSource } from "./file-set.ts";
import type { Files, RefusedFile } from "./files.ts";
import { isJunk } from "./junk.ts";
import { requireSafeSize, type ZipLimits, zipLimits } from "./zip-limits.ts";
import { readZipName, refuseZipName } from "./zip-name.ts";

/** Names are decoded here, so that a bad name rejects one entry and not the archive. */
export const ZIP_OPTIONS = { autoClose: false, decodeStrings: false } as const;

/** Opens an archive on disk; undefined for a zip-based document, such as a DOCX. */
export function openZip(
  file: string,
  name: string,
  archive_bytes: number,
  limits: ZipLimits = zipLimits,
): Promise<Files | undefined> {
  return listZip(openPromise(file, ZIP_OPTIONS), { name, archive_bytes }, limits);
}

/** An archive that is being opened. */
interface ZipPlace {
  readonly name: string;
  readonly archive_bytes: number;
}

/** The files of an archive that is being opened; undefined for a document. */
export function listZip(
  opening: Promise<ZipFile>,
  place: ZipPlace,
  limits: ZipLimits = zipLimits,
): Promise<Files | undefined> {
  return readZip(opening, place, { limits, is_wanted: (entries) => !isDocument(entries) });
}

/** The parts of a zip-based document. */
export async function listParts(opening: Promise<ZipFile>, place: ZipPlace): Promise<Files> {
  const files = await readZip(opening, place, { limits: zipLimits, is_wanted: () => true });
  return files ?? createFileSet({ name: place.name, sources: [] });
}

interface ZipReading {
  readonly limits: ZipLimits;
  is_wanted(entries: readonly NamedEntry[]): boolean;
}

async function readZip(
  opening: Promise<ZipFile>,
  { name, archive_bytes }: ZipPlace,
  { limits, is_wanted }: ZipReading,
): Promise<Files | undefined> {
  const zip = await opening.catch(refuseBroken(name));
  try {
    const entries = await readDirectory(zip, name, limits);
    const total_bytes = entries.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
    requireSafeSize({ name, archive_bytes, total_bytes, entries: entries.length }, limits);
    if (!is_wanted(entries)) {
      zip.close();
      return undefined;
    }
    return createFileSet({
      name,
      ...sortEntries(zip, name, entries),
      close: async () => zip.close(),
    });
  } catch (error) {
    zip.close();
    throw error;
  }
}

interface NamedEntry {
  readonly path: string;
  readonly entry: Entry;
}

async function readDirectory(zip: ZipFile, name: string, limits: ZipLimits): Promise<NamedEntry[]> {
  const entries: NamedEntry[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      entries.push({ path: readZipName(entry), entry });
      if (entries.length > limits.entries) break;
    }
  } catch (error) {
    refuseBroken(name)(error);
  }
  return entries;
}

/** Office files (ECMA-376) have a list of content types at their root; OpenDocument and EPUB begin with `mimetype`. */
function isDocument(entries: readonly NamedEntry[]): boolean {
  return (
    entries[0]?.path === "mimetype" ||
    entries.some(({ path }) => path.toLowerCase() === "[content_types].xml")
  );
}

function sortEntries(zip: ZipFile, name: string, entries: readonly NamedEntry[]) {
  const sources = new Map<string, FileSource>();
  const refused: RefusedFile[] = [];
  for (const { path, entry } of entries) {
    if (path.endsWith("/") || path.split("/").some(isJunk)) continue;
    const reason = sources.has(path)
      ? "Another entry before it has the same name."
      : refuseEntry(path, entry);
    if (reason === undefined) sources.set(path, createSource(zip, path, entry));
    else refused.push({ path: path.slice(0, PATH_SHOWN), reason });
  }
  const encrypted = entries.filter(({ entry }) => entry.isEncrypted()).length;
  if (sources.size === 0 && encrypted > 0) throw refuseEncrypted(name);
  return { sources: [...sources.values()], refused };
}

const PATH_SHOWN = 256;

function refuseEntry(path: string, entry: Entry): string | undefined {
  if (entry.isEncrypted())
    return "It is encrypted; unpack the archive with its password and import the folder.";
  if (!entry.canDecodeFileData()) {
    return `Its compression (method ${entry.compressionMethod}) is not supported; unpack the archive and import the folder.`;
  }
  return refuseZipName(path);
}

function createSource(zip: ZipFile, path: string, entry: Entry): FileSource {
  return {
    path,
    size_bytes: entry.uncompressedSize,
    modified_at: readModifiedAt(entry),
    async *read(from_bytes) {
      let skip = from_bytes;
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        const rest: Uint8Array = chunk.subarray(skip);
        skip -= chunk.length - rest.length;
        if (rest.length > 0) yield rest;
      }
    },
  };
}

/** UTC if the archive has no zone, so that every machine reads the same time. */
function readModifiedAt(entry: Entry): string | undefined {
  const time = entry.getLastModDate({ timezone: "UTC" });
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function refuseBroken(name: string): (error: unknown) => never {
  return (error) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiError("file_unreadable", {
      message: `${name} looks like a zip archive and cannot be read as one (${why}).`,
      next: "Download it again; it may have been cut off.",
    });
  };
}

function refuseEncrypted(name: string): ApiError {
  return new ApiError("archive_refused", {
    message: `${name} is refused: all of it is encrypted.`,
    next: "Unpack it with its password and import the folder.",
  });
}
