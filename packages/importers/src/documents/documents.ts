import { buffer } from "node:stream/consumers";
import { ApiError, type ImportedItem, type ImportedRecord, type RejectedItem } from "@rungs/contract";
import type { Detection } from "../detect/detection.ts";
import { isProgramFile, type Sample } from "../detect/sample.ts";
import { type DocumentKind, hasText } from "../extract/document-kind.ts";
import { detectEntryKind } from "../extract/entry-kind.ts";
import { EXTRACTION_LIMITS } from "../extract/limits.ts";
import type { FileEntry } from "../files/files.ts";
import type { Importer, ImportSource, ItemServices } from "../importer.ts";
import { countStamps } from "../whatsapp/stamp.ts";
import { describeExtraction, readTextFile, toDocumentRecord } from "./document-record.ts";
import { documentsManifest } from "./manifest.ts";
import { createReferences } from "./references.ts";

/** A folder of documents and notes, or one file. Detected last, because it accepts any text. */
export const documents = createDocuments(false);

/** The same, where OCR reads pictures: they are documents too. */
export const documentsWithPictures = createDocuments(true);

function createDocuments(reads_pictures: boolean): Importer {
  const isOther: IsOther = (kind) => !hasText({ reads_pictures }, kind);
  return {
    id: "documents",
    label: "documents and notes: PDF, Word, ODT, PPTX, EPUB, RTF, HTML, Markdown, text",
    get manifest() {
      return documentsManifest();
    },
    recognition: { kind: "file", recognise: (sample) => recognise(sample, isOther) },
    read: (source) => read(source, isOther),
  };
}

/** Whether a file of this kind has no text. */
type IsOther = (kind: DocumentKind) => boolean;

/** Recognizes a document by its bytes; any other text is a guess unless its name says that it is text. */
async function recognise({ entry, bytes, text }: Sample, isOther: IsOther): Promise<Detection | undefined> {
  if (isProgramFile(entry.path)) return undefined;
  const detected = await detectEntryKind(entry, bytes);
  const { kind, mime_type } = detected;
  if (isOther(detected) || bytes.length === 0) return undefined;
  if (kind !== "text") return { confidence: "signature", reason: `it is ${mime_type} by its first bytes` };
  const stamped = countStamps(text);
  if (stamped > 0) {
    const reason = `it is text, although ${stamped} of its first lines look like messages of a chat`;
    return { confidence: "guess", reason };
  }
  return TEXT_NAME.test(entry.path)
    ? { confidence: "structure", reason: "it is text" }
    : { confidence: "guess", reason: "it is text, and nothing in it shows another format" };
}

const TEXT_NAME = /\.(?:txt|text|md|markdown|mdx|rst|org|adoc|tex|html?|xhtml|log|rtf)$/i;

/** Documents, sorted by path; then the other files that a note links to, which have no text. */
async function* read(source: ImportSource, isOther: IsOther): AsyncGenerator<ImportedItem> {
  const isDone = (checkpoint: string): boolean => source.resume !== undefined && checkpoint <= source.resume;
  const references = createReferences();
  const others: FileEntry[] = [];
  let [textless, pictures] = [0, 0];
  for await (const entry of source.files.list()) {
    if (isProgramFile(entry.path)) continue;
    const checkpoint = `1:${entry.path}`;
    const kind = await orRejected(entry, () => detectEntryKind(entry));
    const hasNoText = kind.kind !== "rejected" && isOther(kind);
    if (hasNoText) others.push(entry);
    // Notes before the checkpoint are still needed for their links.
    if (hasNoText || (isDone(checkpoint) && !isNote(kind))) continue;
    const item =
      kind.kind === "rejected" ? kind : await orRejected(entry, () => readDocument(entry, kind, source));
    if (item.kind === "record" && isNote(kind)) references.add(entry.path, listLinks(item));
    if (isDone(checkpoint)) continue;
    if (item.kind === "record" && item.data.text_status === "failed") textless += 1;
    if (item.kind === "record" && item.data.text_status === "no_text") pictures += 1;
    yield { ...item, checkpoint };
  }
  const shown = others.filter(({ path }) => references.has(path));
  for (const entry of shown) {
    const checkpoint = `2:${entry.path}`;
    if (!isDone(checkpoint)) yield { ...(await readLinkedFile(entry, source)), checkpoint };
  }
  const skipped = others.filter(({ path }) => !references.has(path)).map(({ path }) => path);
  noteMissing(source, { textless, pictures, skipped });
}

function isNote(kind: DocumentKind | RejectedItem): boolean {
  return "mime_type" in kind && kind.mime_type === "text/markdown";
}

/** Reads one file; undefined when it is not a document. */
export async function readDocumentFile(
  entry: FileEntry,
  services: ItemServices,
): Promise<ImportedRecord | RejectedItem | undefined> {
  const kind = await orRejected(entry, () => detectEntryKind(entry));
  if (kind.kind === "rejected") return kind;
  if (kind.kind === "other") return undefined;
  return orRejected(entry, () => readDocument(entry, kind, services));
}

/** Reads one file that is not a document, which has no text. */
export function readLinkedFile(
  entry: FileEntry,
  services: ItemServices,
): Promise<ImportedRecord | RejectedItem> {
  return orRejected(entry, () => readOther(entry, services));
}

async function readDocument(
  entry: FileEntry,
  kind: DocumentKind,
  source: ItemServices,
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

async function readOther(entry: FileEntry, source: ItemServices): Promise<ImportedRecord> {
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

/** How many left-out files to name. */
const NAMED_MAX = 5;

interface Missing {
  /** Documents that could not be read. */
  readonly textless: number;
  /** Documents of pictures. */
  readonly pictures: number;
  /** The paths of other files, which were left out. */
  readonly skipped: readonly string[];
}

function noteMissing(source: ImportSource, { textless, pictures, skipped }: Missing): void {
  if (textless > 0) {
    source.note(
      `Documents that could not be read, stored without text: ${textless}; text_problem says why for each.`,
    );
  }
  if (pictures > 0) {
    source.note(
      `Documents that show only pictures, stored without text: ${pictures}; import again with --ocr LANG to read them, such as --ocr eng.`,
    );
  }
  if (skipped.length > 0) {
    const others = skipped.length - NAMED_MAX;
    const names = [...skipped.slice(0, NAMED_MAX), ...(others > 0 ? [`${others} more`] : [])].join(", ");
    source.note(
      `Left out: files, such as pictures, that are not documents and that no note links to (${skipped.length}): ${names}.`,
    );
  }
}
