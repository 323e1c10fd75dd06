import type { ListPosition, SearchPosition } from "@rungs/store";
import { expireAfterDay, expireAfterExactDay, expireAfterYears, type PageKind } from "./page-cursor.ts";

/** Where a list continues, and the horizon from which its changes will be listed. */
export interface ListContinuation {
  readonly after: ListPosition;
  readonly horizon: number;
}

/** Where a change session continues, and where it ends. */
export interface ChangesContinuation {
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
