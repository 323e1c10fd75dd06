/** One field of a record as it is shown: a bounded preview, what it leaves out, and the call that reads on (R31). */

import type { Continuation } from "../continuation.ts";
import { fitText, type Measure } from "../text/budget.ts";
import { countBytes, countChars } from "../text/code-points.ts";
import { type BinaryMetadata, type BlobRef, describeBinaryText, describeBlob } from "./binary.ts";
import type { Role } from "./card.ts";
import { type FieldKind, isTextLike } from "./field-kind.ts";
import type { PreviewStatus } from "./ladder.ts";
import type { FieldCut } from "./nested.ts";

/** One field of a record as it is shown. */
export interface FieldView {
  readonly path: string;
  readonly kind: FieldKind;
  readonly role?: Role | undefined;
  readonly status: PreviewStatus;
  /** The head of the field's text; empty for bytes. */
  readonly preview: string;
  readonly mime_type?: string | undefined;
  /** Missing when the preview is not the field's own text, because parts of a JSON value were left out. */
  readonly size_chars?: number | undefined;
  readonly size_bytes?: number | undefined;
  readonly digest?: string | undefined;
  /** What is known of a binary value in place of its bytes. */
  readonly binary?: BinaryMetadata | undefined;
  readonly next?: Continuation | undefined;
}

/** A field whose text is all there. */
export function viewText(path: string, kind: FieldKind, preview: string): FieldView {
  const size = { size_chars: countChars(preview), size_bytes: countBytes(preview) };
  return { path, kind, status: "complete", preview, ...size };
}

/** A field that the store cut to its head. */
export function viewCut(id: string, cut: FieldCut): FieldView {
  const { path, kind, size_chars, size_bytes, digest, head } = cut;
  const next = readFrom(id, path, countChars(head));
  return { path, kind, status: "truncated", preview: head, size_chars, size_bytes, digest, next };
}

/** A string of bytes in disguise: metadata only, for its text cannot be read on; `text` may be its head, and serves to size it. */
export function viewBinary(path: string, text: string, media_type?: string, cut?: FieldCut): FieldView {
  const binary = describeBinaryText(text, media_type, cut?.size_chars);
  return {
    ...viewBytes(path, "binary", binary),
    ...(cut && { digest: cut.digest }),
  };
}

/** A reference to a blob: metadata only, and the call that reads its bytes. */
export function viewBlob(path: string, blob: BlobRef): FieldView {
  return {
    ...viewBytes(path, "blob", describeBlob(blob)),
    digest: blob.sha256,
    next: { operation: "read_blob", args: { blob_id: blob.blob_id } },
  };
}

/** The view with a preview of at most `max_bytes`; a text that loses something says so and reads on from there. */
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

/** The call that reads a field on from a character. */
export function readFrom(id: string, field_path: string, offset_chars: number): Continuation {
  return { operation: "read_record_field", args: { id, field_path, offset_chars } };
}
