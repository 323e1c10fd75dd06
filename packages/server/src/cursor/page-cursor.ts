/** Pages: their size, and their cursors. Each cursor is sealed, and bound to the grant and to the request that it continues (R24). */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { ApiError, type PageLimits, type Warning } from "@rungs/contract";
import { CodedError, openCursor, type Sealer, sealCursor } from "@rungs/evidence";
import type { ListPosition, SearchPosition, Store } from "@rungs/store";

/** The page size to use: lowers a limit above the maximum, with a warning, instead of refusing it. */
export function clampLimit(
  limit: number | undefined,
  page: PageLimits,
): { limit: number; warnings: Warning[] } {
  if (limit === undefined) return { limit: page.default, warnings: [] };
  if (limit <= page.max) return { limit, warnings: [] };
  const message = `limit was cut to ${page.max}, the maximum of one page.`;
  return { limit: page.max, warnings: [{ code: "limit_clamped", message, param: "limit" }] };
}

/** One kind of pagination: the name and expiry of its cursors, and how to write and parse their positions. */
export interface PageKind<Position> {
  readonly name: string;
  readonly expire: (now_ms: number) => number;
  readonly write: (position: Position) => readonly unknown[];
  /** Undefined for a position that another version of the program wrote. */
  readonly parse: (written: readonly unknown[]) => Position | undefined;
}

/** Seals and opens the cursors of one request under one grant. */
export interface Pager<Position> {
  seal(position: Position): string;
  open(cursor: string): Position;
}

const HOUR_MS = 60 * 60 * 1000;

const DAY_MS = 24 * HOUR_MS;

/** Creates the pager of a request; `bound` lists everything that identifies the request. */
export function createPager<Position>(
  { name, expire, write, parse }: PageKind<Position>,
  bound: readonly unknown[],
  { sealer, now_ms, param = "cursor" }: PagerOptions,
): Pager<Position> {
  const binding = JSON.stringify(bound);
  return {
    seal(position) {
      return sealCursor(
        { kind: name, binding, expires_at_ms: expire(now_ms), position: write(position) },
        sealer,
      );
    },
    open(cursor) {
      const written = withParam(param, () => openCursor(cursor, { kind: name, binding, now_ms }, sealer));
      const position = Array.isArray(written) ? parse(written) : undefined;
      if (position === undefined) throw new ApiError("invalid_cursor", { param });
      return position;
    },
  };
}

/** What sealing needs, and the parameter that errors name. */
export interface PagerOptions {
  readonly sealer: Sealer;
  readonly now_ms: number;
  readonly param?: string;
}

function withParam<T>(param: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw error instanceof CodedError ? new CodedError(error.code, { ...error.details, param }) : error;
  }
}

/** The expiry of a page or window cursor created now: after a day, rounded up, so that the same page has the same cursor. */
export function expireAfterDay(now_ms: number): number {
  return Math.ceil((now_ms + DAY_MS) / HOUR_MS) * HOUR_MS;
}

/**
 * The same to the millisecond, for cursors that hold the owner's change counter: two of them must differ, or equal
 * cursors would reveal that nothing was written outside the grant.
 */
function expireAfterExactDay(now_ms: number): number {
  return now_ms + DAY_MS;
}

/** The expiry of a position in the changes; the store expires it earlier. */
function expireAfterYears(now_ms: number): number {
  return now_ms + 3650 * DAY_MS;
}

/** Where a list continues, and the horizon from which its changes will be listed. */
interface ListContinuation {
  readonly after: ListPosition;
  readonly horizon: number;
}

/** Where a change session continues, and where it ends. */
interface ChangesContinuation {
  readonly horizon: number;
  readonly after: number;
}

/** Pages of `query_records`. */
export const queryPages: PageKind<ListPosition> = {
  name: "q",
  expire: expireAfterDay,
  write: ({ sort, record_id }) => [sort, record_id],
  parse: ([sort, record_id]) => parseListPosition(sort, record_id),
};

/** Pages of `list_records`. */
export const listPages: PageKind<ListContinuation> = {
  name: "l",
  expire: expireAfterExactDay,
  write: ({ after, horizon }) => [after.sort, after.record_id, writeCounter(horizon)],
  parse([sort, record_id, counter]) {
    const after = parseListPosition(sort, record_id);
    const horizon = parseCounter(counter);
    return after && horizon !== undefined ? { after, horizon } : undefined;
  },
};

/** Pages of one change session. */
export const changesPages: PageKind<ChangesContinuation> = {
  name: "c",
  expire: expireAfterExactDay,
  write: ({ horizon, after }) => [writeCounter(horizon), writeCounter(after)],
  parse(written) {
    const [horizon, after] = written.map(parseCounter);
    return horizon !== undefined && after !== undefined ? { horizon, after } : undefined;
  },
};

/** Where the next change session begins. */
export const changesSince: PageKind<number> = {
  name: "t",
  expire: expireAfterYears,
  write: (since) => [writeCounter(since)],
  parse: ([since]) => parseCounter(since),
};

/** Pages of `search`. */
export const searchPages: PageKind<SearchPosition> = {
  name: "s",
  expire: expireAfterDay,
  write: ({ tier, score, time_ms, tie, id }) => [
    `${tier}${packNumber(score)}${tie.toString(36)}.${time_ms?.toString(36) ?? ""}.${id}`,
  ],
  parse([written]) {
    const [, tier, score = "", tie = "", time = "", id] =
      (typeof written === "string" && SEARCH_POSITION.exec(written)) || [];
    if (id === undefined) return undefined;
    return {
      tier: tier === "0" ? 0 : 1,
      score: unpackNumber(score),
      time_ms: time === "" ? null : Number.parseInt(time, 36),
      tie: Number.parseInt(tie, 36),
      id,
    };
  },
};

/** In one short string: a model copies the cursor from page to page. */
const SEARCH_POSITION = /^([01])([\w-]{11})([0-9a-z]+)\.(-?[0-9a-z]*)\.(.*)$/su;

/** The eight bytes of a number, exactly, in eleven characters. */
function packNumber(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString("base64url");
}

function unpackNumber(packed: string): number {
  return Buffer.from(packed, "base64url").readDoubleBE();
}

/** Fixed length: the length of a cursor must not reveal how much an owner has written. */
function writeCounter(counter: number): string {
  return String(counter).padStart(16, "0");
}

function parseCounter(written: unknown): number | undefined {
  return typeof written === "string" && /^\d{16}$/.test(written) ? Number(written) : undefined;
}

function parseListPosition(sort: unknown, record_id: unknown): ListPosition | undefined {
  const isSort = sort === null || typeof sort === "string";
  return isSort && typeof record_id === "string" ? { sort, record_id } : undefined;
}

const NONCE_BYTES = 12;
const AUTH_TAG_BYTES = 16;
const TAG_CHARS = 12;

/** Opens the sealer of a store: every server on the store can open what any of them sealed. */
export async function openSealer(store: Store): Promise<Sealer> {
  return createSealer(await store.getSecret("cursor", () => randomBytes(32).toString("base64url")));
}

/**
 * Creates a sealer that uses AES-256-GCM. The nonce is a MAC of the text under a separate key: it repeats only for the same
 * text, which then seals to the same result, so there is no need to track used nonces.
 */
export function createSealer(secret: string): Sealer {
  const encryptionKey = deriveKey(secret, "cursor encryption");
  const nonceKey = deriveKey(secret, "cursor nonce");
  const tagKey = deriveKey(secret, "cursor binding");

  return {
    seal(text) {
      const nonce = mac(nonceKey, text).subarray(0, NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce);
      const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString("base64url");
    },

    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < NONCE_BYTES + AUTH_TAG_BYTES || bytes.toString("base64url") !== sealed) {
        return undefined;
      }
      const options = { authTagLength: AUTH_TAG_BYTES };
      const decipher = createDecipheriv(
        "aes-256-gcm",
        encryptionKey,
        bytes.subarray(0, NONCE_BYTES),
        options,
      );
      decipher.setAuthTag(bytes.subarray(-AUTH_TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -AUTH_TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },

    tag: (text) => mac(tagKey, text).toString("base64url").slice(0, TAG_CHARS),
  };
}

/** Returns a key object: with raw key bytes, sealing takes five times as long. */
function deriveKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", secret, "rungs", purpose, 32)));
}

function mac(key: KeyObject, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
