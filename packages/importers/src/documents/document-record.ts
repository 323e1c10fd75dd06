/** One file of a folder as a record. */
import { posix } from "node:path";
import { type ImportedRecord, parseTimeMs } from "@rungs/contract";
import { cleanText } from "../clean-text.ts";
import { decodeDocument } from "../extract/decode-text.ts";
import type { DocumentKind } from "../extract/document-kind.ts";
import { describeStatus, type Extraction } from "../extract/extraction.ts";
import type { FileEntry } from "../files/files.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { listTexts, splitNote } from "./front-matter.ts";
import { readMarks } from "./note-marks.ts";

/** The fields of a file besides its name and size. */
type Content = Readonly<Record<string, unknown>>;

/** The record of a file. `content` overrides fields that come from the file name. */
export function toDocumentRecord(entry: FileEntry, mime_type: string, content: Content): ImportedRecord {
  const { path, size_bytes, modified_at } = entry;
  const folder = posix.dirname(path);
  return toRecordItem("documents", path, {
    id: joinKey(...cleanText(path).split("/")),
    title: posix.basename(path).replace(/(?<=.)\.[^.]*$/, ""),
    path,
    folder: folder === "." ? undefined : folder,
    mime_type,
    size_bytes,
    modified_at,
    ...Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined)),
  });
}

/** The fields of a text file; Markdown also has properties, tags and links. */
export function readTextFile(bytes: Uint8Array, { mime_type }: DocumentKind): Content {
  const { text: decoded, uncertain } = decodeDocument(bytes);
  const text = cleanText(decoded);
  const status = describeStatus({ kind: "text", text, uncertain });
  if (mime_type !== "text/markdown") return { text, ...status };
  const { properties = {}, body } = splitNote(text);
  const { tags, links } = readMarks(body);
  const declared = listTexts(properties.tags ?? properties.tag, /[\s,]+/).map((tag) => tag.replace(/^#/, ""));
  return {
    title: typeof properties.title === "string" && properties.title.trim() ? properties.title : undefined,
    text: body,
    ...status,
    tags: [...new Set([...declared, ...tags])],
    aliases: listTexts(properties.aliases ?? properties.alias, /,/),
    links,
    front_matter: properties,
    created_at: toTime(properties.created ?? properties.date),
  };
}

/** The fields that extracted text adds. */
export function describeExtraction(extraction: Extraction): Content {
  if (extraction.kind !== "text") return { ...describeStatus(extraction) };
  const { kind, cut, missing, uncertain, hidden, message, ocr, ...read } = extraction;
  return { ...read, hidden_text: hidden, ocr_confidence: ocr?.confidence, ...describeStatus(extraction) };
}

function toTime(value: unknown): string | undefined {
  const timeMs = typeof value === "string" ? parseTimeMs(value.trim()) : undefined;
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}
