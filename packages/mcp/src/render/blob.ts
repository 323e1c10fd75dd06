/** A file as text: what it is, and its text where that was asked for; never its bytes (R33). */
import { type Continuation, foldToLine, formatJsonLine, formatToolCall } from "@rungs/evidence";
import type { BlobRange } from "../blob/read-range.ts";

/** What is shown of a file. */
export interface BlobView {
  readonly blob: BlobRange["blob"];
  readonly range?: { readonly start_bytes: number; readonly end_bytes: number };
  readonly text?: string;
  readonly base64?: string;
  readonly next?: Continuation;
}

/** Renders a file. */
export function renderBlob({ blob, range, text, base64, next }: BlobView, base_url: string): string {
  const { blob_id, mime_type, size_bytes } = blob;
  const part = range === undefined ? "" : `; bytes ${range.start_bytes}-${range.end_bytes} of ${size_bytes}`;
  return [
    `${blob_id} (${foldToLine(mime_type)}, ${size_bytes} bytes)${part}`,
    ...(text === undefined ? [] : renderLines(text)),
    ...(base64 === undefined ? [] : ["The bytes are base64 in structuredContent; they are never in text."]),
    `All bytes: GET ${base_url}/v1/blobs/${encodeURIComponent(blob_id)}, with Range for a part. Text extracted from a file is a field of its record.`,
    next === undefined ? "This is the end of the file." : `next: ${formatToolCall(next)}`,
  ].join("\n");
}

/** Each line as a JSON string: nothing in it can end it or look like a line of ours, and its text is exact. */
function renderLines(text: string): string[] {
  return [
    "The text, each line as a JSON string:",
    ...text.split("\n").map((line) => `| ${formatJsonLine(line)}`),
  ];
}
