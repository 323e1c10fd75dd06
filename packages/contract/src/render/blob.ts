/** Renders a blob: its type and size, and its text when requested; never its bytes (R33). */
import { type Continuation, foldToLine, formatJsonLine } from "@rungs/evidence";
import type { RenderOptions } from "./options.ts";

/** What an answer shows of a blob. */
export interface BlobView {
  readonly blob: {
    readonly blob_id: string;
    readonly mime_type: string;
    readonly size_bytes: number;
  };
  readonly range?: { readonly start_bytes: number; readonly end_bytes: number };
  readonly text?: string;
  readonly base64?: string;
  /** Whether the answer has an image block. */
  readonly image?: true;
  /** The call that shows its record, which has the extracted text. */
  readonly record?: Continuation;
  readonly next?: Continuation;
}

const BASE64_NOTE =
  "The bytes are base64 in structuredContent, never in text. If you see no base64, another such call shows none either: read the record.";
const IMAGE_NOTE =
  "The image is a separate block of this answer. If you see none, this host does not pass images on: read the record.";

/** Renders a blob; `base_url` is the server that its bytes come from, if one is running. */
export function renderBlob(
  view: BlobView,
  base_url: string | undefined,
  { write }: Pick<RenderOptions, "write">,
): string {
  const { blob, range, text, base64, image, record, next } = view;
  const { blob_id, mime_type, size_bytes } = blob;
  const part = range === undefined ? "" : `; bytes ${range.start_bytes}-${range.end_bytes} of ${size_bytes}`;
  return [
    `${blob_id} (${foldToLine(mime_type)}, ${size_bytes} bytes)${part}`,
    ...(text === undefined ? [] : renderLines(text)),
    ...(base64 === undefined ? [] : [BASE64_NOTE]),
    ...(image ? [IMAGE_NOTE] : []),
    `All bytes: ${base_url === undefined ? "" : `GET ${base_url}/v1/blobs/${encodeURIComponent(blob_id)}, with Range for a part, or `}rungs blob ${blob_id} -o FILE.`,
    ...(record === undefined ? [] : [`its record, with the text extracted from it: ${write(record)}`]),
    ...(next === undefined ? ["This is the end of the file."] : [`next: ${write(next)}`]),
  ].join("\n");
}

/** Renders each line as a JSON string, so that its text is exact and cannot imitate a line of the answer. */
function renderLines(text: string): string[] {
  return [
    "The text, each line as a JSON string:",
    ...text.split("\n").map((line) => `| ${formatJsonLine(line)}`),
  ];
}
