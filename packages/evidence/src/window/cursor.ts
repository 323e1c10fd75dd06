/**
 * Pagination cursors: a sealed position that only its issuer can read or write, valid for one kind of answer, one
 * binding (grant, record, query …) and a limited time (R24). The sealed text is `kind expiry tag position`: short, since a model
 * copies the cursor from page to page.
 */
import { CodedError } from "../coded-error.ts";

/** Encrypts and authenticates text that clients carry; the caller holds the secret. */
export interface Sealer {
  /** Seals a text, URL-safe and deterministic: the same text always gives the same result. */
  seal(text: string): string;
  /** Opens a sealed text; undefined for anything that `seal` did not produce. */
  open(sealed: string): string | undefined;
  /** A short keyed digest: equal texts have equal tags. */
  tag(text: string): string;
}

/** The content of a cursor and its binding. */
export interface CursorContent {
  /** A short name of the answer that it paginates. */
  readonly kind: string;
  /** Everything that must match when the cursor comes back; the cursor holds only a tag of it. */
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

const EXPIRY_BASE = 36;
const PAYLOAD = /^(\S*) ([0-9a-z]+) (\S+) (.*)$/su;

/** Seals a cursor: opaque and URL-safe. */
export function sealCursor(
  { kind, binding, expires_at_ms, position }: CursorContent,
  sealer: Sealer,
): string {
  const expiry = Math.ceil(expires_at_ms).toString(EXPIRY_BASE);
  return sealer.seal(`${kind} ${expiry} ${tagOf(kind, binding, sealer)} ${JSON.stringify(position)}`);
}

/**
 * Returns the position, or throws `invalid_cursor` (malformed, forged, of another kind), `cursor_foreign`
 * (genuine, but with another binding) or `cursor_expired`.
 */
export function openCursor(
  text: string,
  { kind, binding, now_ms }: CursorExpectation,
  sealer: Sealer,
): unknown {
  const payload = text.length <= CURSOR_MAX_CHARS ? sealer.open(text) : undefined;
  if (payload === undefined) throw refuse("invalid_cursor", "This server did not create the cursor.");
  const [, sealedKind, expiry = "", tag, position = ""] = PAYLOAD.exec(payload) ?? [];
  if (sealedKind !== kind) throw refuse("invalid_cursor", "The cursor belongs to another operation.");
  if (tag !== tagOf(kind, binding, sealer)) {
    throw refuse("cursor_foreign", "The cursor was made for another request or another grant.");
  }
  if (now_ms >= Number.parseInt(expiry, EXPIRY_BASE))
    throw refuse("cursor_expired", "The cursor has expired.");
  return JSON.parse(position);
}

function tagOf(kind: string, binding: string, sealer: Sealer): string {
  return sealer.tag(`${kind}:${binding}`);
}

function refuse(code: "invalid_cursor" | "cursor_foreign" | "cursor_expired", message: string): CodedError {
  return new CodedError(code, { param: "cursor", message });
}
