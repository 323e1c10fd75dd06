/** Pagination cursors: each is bound to the grant and to the request that it continues (R24). */
import { ApiError } from "@rungs/contract";
import { CodedError, openCursor, type Sealer, sealCursor } from "@rungs/evidence";

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
export function expireAfterExactDay(now_ms: number): number {
  return now_ms + DAY_MS;
}

/** The expiry of a position in the changes; the store expires it earlier. */
export function expireAfterYears(now_ms: number): number {
  return now_ms + 3650 * DAY_MS;
}
