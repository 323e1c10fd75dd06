/** One field of a record as answers show it: a bounded preview, what it leaves out, and the call that reads on (R31). */

import type { Continuation } from "../continuation.ts";
import { fitText, type Measure } from "../text/budget.ts";
import { countBytes, countChars } from "../text/code-points.ts";
import { type BinaryMetadata, type BlobRef, describeBinaryText, describeBlob } from "./binary.ts";
import type { Role } from "./card.ts";
import { type FieldKind, isTextLike } from "./field-kind.ts";
import type { PreviewStatus } from "./ladder.ts";
import type { FieldCut } from "./nested.ts";

/** One field of a record as answers show it. */
export interface FieldView {
  readonly path: string;
  readonly kind: FieldKind;
  readonly role?: Role | undefined;
  readonly status: PreviewStatus;
  /** A prefix of the field's text; empty for bytes. */
  readonly preview: string;
  readonly mime_type?: string | undefined;
  /** Undefined if the preview is not the field's own text, because it omits parts of a JSON value. */
  readonly size_chars?: number | undefined;
  readonly size_bytes?: number | undefined;
  readonly digest?: string | undefined;
  /** Metadata in place of the bytes of a binary value. */
  readonly binary?: BinaryMetadata | undefined;
  readonly next?: Continuation | undefined;
}

/** Views a field with its whole text. */
export function viewText(path: string, kind: FieldKind, preview: string): FieldView {
  const size = { size_chars: countChars(preview), size_bytes: countBytes(preview) };
  return { path, kind, status: "complete", preview, ...size };
}

/** Views a field that the store cut to a prefix. */
export function viewCut(id: string, cut: FieldCut): FieldView {
  if (cut.binary) return viewBinary(cut.path, "", undefined, cut);
  const { path, kind, size_chars, size_bytes, digest, prefix } = cut;
  const next = readFrom(id, path, countChars(prefix));
  return { path, kind, status: "truncated", preview: prefix, size_chars, size_bytes, digest, next };
}

/**
 * Views a string that encodes bytes: metadata, and the call that reads them. Without a `binary` cut `text`, which may be a
 * prefix, gives the size, and there is no call.
 */
export function viewBinary(path: string, text: string, media_type?: string, cut?: FieldCut): FieldView {
  const binary = cut?.binary ?? describeBinaryText(text, media_type, cut?.size_chars);
  return {
    ...viewBytes(path, "binary", binary),
    ...(cut && { digest: cut.digest }),
    ...(binary.blob_id !== undefined && { next: readBytes(binary.blob_id) }),
  };
}

/** Views a reference to a blob: metadata, and the call that reads its bytes. */
export function viewBlob(path: string, blob: BlobRef): FieldView {
  return {
    ...viewBytes(path, "blob", describeBlob(blob)),
    digest: blob.sha256,
    next: readBytes(blob.blob_id),
  };
}

/** Shortens the preview to at most `max_bytes`; a shortened text says so and reads on from there. */
export function shrinkFieldView(
  view: FieldView,
  id: string,
  max_bytes: number,
  measure: Measure = countBytes,
): FieldView {
  if (!isTextLike(view.kind)) return view;
  const preview = fitText(view.preview, max_bytes, measure);
  if (preview === view.preview) return view;
  const next = view.size_chars === undefined ? view.next : readFrom(id, view.path, countChars(preview));
  return { ...view, status: "truncated", preview, next };
}

function viewBytes(path: string, kind: "binary" | "blob", binary: BinaryMetadata): FieldView {
  const { mime_type, size_bytes } = binary;
  return { path, kind, status: "binary-only", preview: "", mime_type, size_bytes, binary };
}

function readBytes(blob_id: string): Continuation {
  return { operation: "read_blob", args: { blob_id } };
}

/** Creates the call that reads a field from a character on. */
export function readFrom(id: string, field_path: string, offset_chars: number): Continuation {
  return { operation: "read_record_field", args: { id, field_path, offset_chars } };
}
