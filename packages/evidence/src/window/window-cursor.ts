/** Cursors to the adjacent windows: bound to grant, record and field, and to the text they were cut from. */
import { z } from "zod";
import { formatRecordId } from "../address/record-id.ts";
import type { RecordRef } from "../address/record-ref.ts";
import { WINDOW_DEFAULT_CHARS, WINDOW_MAX_CHARS } from "../address/selector.ts";
import { CodedError } from "../coded-error.ts";
import { openCursor, type Sealer, sealCursor } from "./cursor.ts";
import type { AdjacentRequest } from "./window-request.ts";

/** The field and the grant that a window cursor is bound to. */
export interface WindowTarget extends RecordRef {
  readonly grant_key: string;
  readonly field_path: string;
}

/** An adjacent window to seal: where it begins or ends, and its size if the caller chose one. */
export interface CursorRequest {
  readonly request: AdjacentRequest;
  /** Whether the caller chose the size: then it is kept, else it is the default. */
  readonly is_sized: boolean;
}

/** The position of a window cursor, and a tag of the text that it was created from. */
export interface WindowPosition extends CursorRequest {
  readonly digest_tag: string;
}

const KIND = "w";
const DIGEST_TAG_CHARS = 12;

const positionSchema = z.tuple([
  z.enum(["f", "b"]),
  z.int().min(0),
  // 0: the default size.
  z.int().min(0).max(WINDOW_MAX_CHARS),
  z.string(),
]);

/** Seals the cursor of an adjacent window of a field whose text has this digest. */
export function sealWindowCursor(
  { request, is_sized }: CursorRequest,
  target: WindowTarget,
  { digest, expires_at_ms }: { readonly digest: string; readonly expires_at_ms: number },
  sealer: Sealer,
): string {
  const direction = request.kind === "forward" ? "f" : "b";
  const offset = request.kind === "forward" ? request.start_chars : request.end_chars;
  const position = [direction, offset, is_sized ? request.limit_chars : 0, tagOf(digest)];
  return sealCursor({ kind: KIND, binding: bindingOf(target), expires_at_ms, position }, sealer);
}

/** Opens a window cursor for `target`, or throws as `openCursor` does, with the requested record and field. */
export function openWindowCursor(
  text: string,
  target: WindowTarget,
  now_ms: number,
  sealer: Sealer,
): WindowPosition {
  const position = naming(target, () =>
    openCursor(text, { kind: KIND, binding: bindingOf(target), now_ms }, sealer),
  );
  const [direction, offset, size_chars, digest_tag] = positionSchema.parse(position);
  const is_sized = size_chars > 0;
  const limit_chars = is_sized ? size_chars : WINDOW_DEFAULT_CHARS;
  const request: AdjacentRequest =
    direction === "f"
      ? { kind: "forward", start_chars: offset, limit_chars }
      : { kind: "backward", end_chars: offset, limit_chars };
  return { request, is_sized, digest_tag };
}

/** Throws `cursor_stale` if the field's text is no longer the one that the cursor was created from. */
export function requireFreshWindow(
  { digest_tag }: WindowPosition,
  target: WindowTarget,
  digest: string,
): void {
  if (digest_tag === tagOf(digest)) return;
  throw new CodedError("cursor_stale", {
    param: "cursor",
    message: "The field has changed since the cursor was made. Read it again from offset_chars=0.",
    ...namesOf(target),
  });
}

function bindingOf({ grant_key, connection_id, stream, record_id, field_path }: WindowTarget): string {
  return JSON.stringify([grant_key, connection_id, stream, record_id, field_path]);
}

// A digest may begin with the name of its algorithm, which says nothing about the text.
function tagOf(digest: string): string {
  return digest.slice(digest.indexOf(":") + 1).slice(0, DIGEST_TAG_CHARS);
}

function namesOf(target: WindowTarget) {
  return { id: formatRecordId(target), field_path: target.field_path };
}

function naming<T>(target: WindowTarget, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new CodedError(error.code, { ...error.details, ...namesOf(target) });
  }
}
