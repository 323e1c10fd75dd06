import { buffer } from "node:stream/consumers";
import { ApiError, type ImportedItem, type ImportedRecord, type RejectedItem } from "@rungs/contract";
import { type DocumentKind, detectKind } from "../extract/document-kind.ts";
import { EXTRACTION_LIMITS } from "../extract/limits.ts";
import type { FileEntry, Files } from "../files/files.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { describeExtraction, readTextFile, toDocumentRecord } from "./document-record.ts";
import { documentsManifest } from "./manifest.ts";
import { createReferences } from "./references.ts";

/** A folder of documents and notes, or one file. Detected last, because it accepts any text. */
export const documents: Importer = {
  id: "documents",
  label: "documents and notes: PDF, DOCX, HTML, Markdown, text",
  get manifest() {
    return documentsManifest();
  },
  matches,
  read,
};

const LOOKED_AT = 200;

/** Whether at least half of the first files are documents. */
async function matches(files: Files): Promise<boolean> {
  let found = 0;
  let all = 0;
  for await (const entry of files.list()) {
    if (isIgnored(entry)) continue;
    const { kind } = detectKind({ bytes: await entry.head(), file_name: entry.path });
    all += 1;
    if (kind !== "other") found += 1;
    if (all === LOOKED_AT) break;
  }
  return found > 0 && found * 2 >= all;
}

/** Documents, sorted by path; then the other files that a note links to, which have no text. */
async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const isDone = (checkpoint: string): boolean => source.resume !== undefined && checkpoint <= source.resume;
  const references = createReferences();
  const others: FileEntry[] = [];
  let textless = 0;
  for await (const entry of source.files.list()) {
    if (isIgnored(entry)) continue;
    const checkpoint = `1:${entry.path}`;
    const kind = await orRejected(entry, () => detectEntryKind(entry));
    if (kind.kind === "other") others.push(entry);
    // Notes before the checkpoint are still needed for their links.
    if (kind.kind === "other" || (isDone(checkpoint) && !isNote(kind))) continue;
    const item =
      kind.kind === "rejected" ? kind : await orRejected(entry, () => readDocument(entry, kind, source));
    if (item.kind === "record" && isNote(kind)) references.add(entry.path, listLinks(item));
    if (isDone(checkpoint)) continue;
    if (item.kind === "record" && item.data.text_status === "failed") textless += 1;
    yield { ...item, checkpoint };
  }
  const shown = others.filter(({ path }) => references.has(path));
  for (const entry of shown) {
    const checkpoint = `2:${entry.path}`;
    if (!isDone(checkpoint))
      yield { ...(await orRejected(entry, () => readOther(entry, source))), checkpoint };
  }
  noteMissing(source, textless, others.length - shown.length);
}

/** `.obsidian`, `.trash` and the like belong to programs. */
function isIgnored({ path }: FileEntry): boolean {
  return path.split("/").some((name) => name.startsWith("."));
}

async function detectEntryKind(entry: FileEntry): Promise<DocumentKind> {
  const file_name = entry.path;
  const kind = detectKind({ bytes: await entry.head(), file_name });
  // Only the end of an archive may tell what it contains.
  const isOpen = kind.mime_type === "application/zip" && entry.size_bytes <= EXTRACTION_LIMITS.input_bytes;
  return isOpen ? detectKind({ bytes: await readBytes(entry), file_name }) : kind;
}

function isNote(kind: DocumentKind | RejectedItem): boolean {
  return "mime_type" in kind && kind.mime_type === "text/markdown";
}

async function readDocument(
  entry: FileEntry,
  kind: DocumentKind,
  source: ImportSource,
): Promise<ImportedRecord> {
  const { mime_type } = kind;
  if (entry.size_bytes > EXTRACTION_LIMITS.input_bytes) {
    const text_problem = `It is larger than ${EXTRACTION_LIMITS.input_bytes} bytes.`;
    const file = await source.putBlob(entry.open(), mime_type);
    return toDocumentRecord(entry, mime_type, { text_status: "failed", text_problem, file });
  }
  const bytes = await readBytes(entry);
  if (kind.kind === "text" && bytes.length <= EXTRACTION_LIMITS.text_chars) {
    return toDocumentRecord(entry, mime_type, readTextFile(bytes, kind));
  }
  const file = await source.putBlob(streamOnce(bytes), mime_type);
  const extraction = await source.extractText({ bytes, mime_type, file_name: entry.path });
  return toDocumentRecord(entry, mime_type, { ...describeExtraction(extraction), file });
}

async function readOther(entry: FileEntry, source: ImportSource): Promise<ImportedRecord> {
  const { mime_type } = await detectEntryKind(entry);
  const file = await source.putBlob(entry.open(), mime_type);
  return toDocumentRecord(entry, mime_type, { text_status: "unsupported", file });
}

function readBytes(entry: FileEntry): Promise<Buffer> {
  return buffer(entry.open());
}

async function* streamOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Turns an unreadable file into a rejected item; other failures are thrown. */
async function orRejected<T>(entry: FileEntry, act: () => Promise<T>): Promise<T | RejectedItem> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    return { kind: "rejected", place: entry.path, reason: error.message };
  }
}

function listLinks({ data }: ImportedRecord): readonly string[] {
  return (data.links as readonly string[] | undefined) ?? [];
}

function noteMissing(source: ImportSource, textless: number, skipped: number): void {
  if (textless > 0) {
    source.note(
      `Stored without text: ${textless} documents that could not be read; text_problem says why for each.`,
    );
  }
  if (skipped > 0) {
    source.note(
      `Left out: ${skipped} files, such as pictures, that are not documents and that no note links to.`,
    );
  }
}
