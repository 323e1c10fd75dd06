/**
 * Cursors for everything that pages: a position that only its maker can read or write, good for one kind of answer,
 * one binding (grant, record, query …) and some time (R24). What is sealed is `[kind, expiry, binding tag, position]`.
 */
import { z } from "zod";
import { CodedError } from "../coded-error.ts";

/** Keeps text from being read or changed by whoever carries it; the caller holds the secret. */
export interface Sealer {
  /** Encrypts and authenticates a text, URL-safe. The same text always gives the same result. */
  seal(text: string): string;
  /** Gives the text back; undefined for anything that `seal` did not make. */
  open(sealed: string): string | undefined;
  /** A short digest that nobody else can compute: equal texts have equal tags. */
  tag(text: string): string;
}

/** What a cursor holds and what it is bound to. */
export interface CursorContent {
  /** A short name of the answer that it pages. */
  readonly kind: string;
  /** Everything that must be the same when the cursor comes back; only a tag of it is in the cursor. */
  readonly binding: string;
  readonly expires_at_ms: number;
  /** Any JSON value. */
  readonly position: unknown;
}

/** What the reader of a cursor expects. */
export interface CursorExpectation {
  readonly kind: string;
  readonly binding: string;
  readonly now_ms: number;
}

const CURSOR_MAX_CHARS = 8192;

const payloadSchema = z.tuple([z.string(), z.int(), z.string(), z.unknown()]);

/** Writes a cursor: opaque and URL-safe. */
export function sealCursor(
  { kind, binding, expires_at_ms, position }: CursorContent,
  sealer: Sealer,
): string {
  const payload = [kind, Math.ceil(expires_at_ms), tagOf(kind, binding, sealer), position];
  return sealer.seal(JSON.stringify(payload));
}

/**
 * Gives the position back, or refuses: `invalid_cursor` (malformed, forged, of another kind), `cursor_foreign`
 * (genuine, for something else), `cursor_expired`.
 */
export function openCursor(
  text: string,
  { kind, binding, now_ms }: CursorExpectation,
  sealer: Sealer,
): unknown {
  const payload = text.length <= CURSOR_MAX_CHARS ? sealer.open(text) : undefined;
  if (payload === undefined) throw refuse("invalid_cursor", "The cursor is not one of ours.");
  const [sealedKind, expires_at_ms, tag, position] = payloadSchema.parse(JSON.parse(payload));
  if (sealedKind !== kind) throw refuse("invalid_cursor", "The cursor belongs to another operation.");
  if (tag !== tagOf(kind, binding, sealer)) {
    throw refuse("cursor_foreign", "The cursor was made for another request or another grant.");
  }
  if (now_ms >= expires_at_ms) throw refuse("cursor_expired", "The cursor has expired.");
  return position;
}

function tagOf(kind: string, binding: string, sealer: Sealer): string {
  return sealer.tag(`${kind}:${binding}`);
}

function refuse(code: "invalid_cursor" | "cursor_foreign" | "cursor_expired", message: string): CodedError {
  return new CodedError(code, { param: "cursor", message });
}
