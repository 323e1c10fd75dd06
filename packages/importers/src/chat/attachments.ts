/** Files in the export of a chat: stored as blobs, with text where they are documents. */
import { buffer } from "node:stream/consumers";
import { ApiError } from "@rungs/contract";
import { type StreamOutline, shapes } from "../declare.ts";
import { detectKind, hasText } from "../extract/document-kind.ts";
import { describeStatus } from "../extract/extraction.ts";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";

/** The largest file to extract text from, since extraction holds it in memory. */
const ATTACHMENT_TEXT_MAX_BYTES = 32 * 1024 * 1024;

/** The stream of files that belong to messages; `own` are the fields of the format. */
export function declareAttachments(own: Readonly<Record<string, object>>): StreamOutline {
  return {
    name: "attachments",
    label: "Attached files",
    time_field: "sent_at",
    searched: ["name", "text"],
    properties: {
      id: shapes.text,
      message_id: shapes.text,
      name: shapes.title,
      sent_at: shapes.time,
      mime_type: shapes.text,
      size_bytes: shapes.integer,
      file: shapes.blob,
      text: shapes.body,
      page_starts: { type: "array", items: { type: "integer" } },
      text_missing: { type: "string", description: "Why there is no text, or not all of it." },
      ...own,
    },
    views: [{ id: "list", label: "Names and sizes", fields: LIST_FIELDS }],
  };
}

const LIST_FIELDS = ["id", "message_id", "name", "sent_at", "mime_type", "size_bytes"];

/** What a message says about a file. */
export interface FileClaim {
  readonly name: string;
  readonly mime_type?: string | undefined;
}

/** Stores a file and returns the fields of its record that describe the content. */
export async function storeAttachment(
  source: ImportSource,
  entry: FileEntry,
  claim: FileClaim,
): Promise<object> {
  try {
    const head = await entry.head();
    const detected = detectKind({
      bytes: head,
      mime_type: claim.mime_type,
      file_name: claim.name,
    });
    const { mime_type } = detected;
    const { blob_id, size_bytes, sha256 } = await source.putBlob(entry.open(), mime_type);
    const file = { blob_id, mime_type, size_bytes, sha256 };
    const isDocument = hasText(source, detected) || mime_type === "application/zip";
    return { mime_type, size_bytes, file, ...(isDocument ? await readText(source, entry, claim) : {}) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    return { text_missing: error.message };
  }
}

async function readText(source: ImportSource, entry: FileEntry, claim: FileClaim): Promise<object> {
  if (entry.size_bytes > ATTACHMENT_TEXT_MAX_BYTES) {
    return {
      text_missing: `The file has ${entry.size_bytes} bytes; text is read up to ${ATTACHMENT_TEXT_MAX_BYTES}.`,
    };
  }
  const bytes = await buffer(entry.open());
  const extraction = await source.extractText({ bytes, mime_type: claim.mime_type, file_name: claim.name });
  if (extraction.kind !== "text") {
    return extraction.kind === "failed" ? { text_missing: extraction.reason } : {};
  }
  const { text, page_starts } = extraction;
  return { text, page_starts, text_missing: describeStatus(extraction).text_problem };
}
