import type { Attachment } from "postal-mime";
import { detectKind, hasText } from "../extract/document-kind.ts";
import { describeStatus, type Extraction, type ExtractionRequest } from "../extract/extraction.ts";
import type { ItemServices } from "../importer.ts";
import { findBody } from "./message-body.ts";
import { parseMessage } from "./parse-message.ts";

/** Stores an attachment as a blob and returns the fields of its record, with its text if it has any. */
export async function readAttachment(source: ItemServices, attachment: Attachment): Promise<object> {
  const bytes = decodeAttachment(attachment);
  const file_name = attachment.filename ?? undefined;
  const claimed = MEDIA_TYPE.test(attachment.mimeType) ? attachment.mimeType : undefined;
  const kind = detectKind({ bytes, mime_type: claimed, file_name });
  const { mime_type: detected } = kind;
  const mime_type = claimed === undefined || claimed === "application/octet-stream" ? detected : claimed;
  const blob = await source.putBlob(splitChunks(bytes), mime_type);
  const file = { blob_id: blob.blob_id, mime_type, size_bytes: blob.size_bytes, sha256: blob.sha256 };
  const request = { bytes, mime_type, file_name };
  const text = hasText(source, kind) ? await readText(source, request) : { text_status: "unsupported" };
  return { file_name, mime_type, size_bytes: bytes.length, file, ...text };
}

/** The bytes of an attachment, decoded. */
export function decodeAttachment({ content }: Attachment): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

const CHUNK_BYTES = 1024 * 1024;

async function* splitChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

async function readText(source: ItemServices, request: ExtractionRequest): Promise<object> {
  const message =
    request.mime_type === "message/rfc822" ? await readInnerMessage(source, request.bytes) : undefined;
  if (message !== undefined) return { ...message, text_status: "complete" };
  return describeText(await source.extractText(request));
}

function describeText(extraction: Extraction): object {
  const status = describeStatus(extraction);
  if (extraction.kind !== "text") return status;
  const { text, page_starts, hidden } = extraction;
  return { text, page_starts, hidden_text: hidden, ...status };
}

/** Reads an attached message as a message: its encoded parts are not readable as text. */
async function readInnerMessage(source: ItemServices, bytes: Uint8Array): Promise<object | undefined> {
  const parsed = await parseMessage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (parsed.kind === "rejected") return undefined;
  const { subject, from } = parsed.mail;
  const { body, hidden_text } = await findBody(parsed.mail, source);
  const head = [subject, from?.name, from?.address].filter(Boolean).join("\n");
  return { text: `${head}\n\n${body ?? ""}`.trim(), hidden_text };
}
