/** Cursors of pages: each is bound to the grant and to the question that it goes on with (R24). */
import { ApiError } from "@rungs/contract";
import { CodedError, openCursor, type Sealer, sealCursor } from "@rungs/evidence";

/** One kind of page: what its cursors are called, when they expire, and how their positions are written and read. */
export interface PageKind<Position> {
  readonly name: string;
  readonly expire: (now_ms: number) => number;
  readonly write: (position: Position) => readonly unknown[];
  /** Undefined for what another version of the program may have written. */
  readonly parse: (written: readonly unknown[]) => Position | undefined;
}

/** The pages of one question under one grant. */
export interface Pager<Position> {
  seal(position: Position): string;
  open(cursor: string): Position;
}

const HOUR_MS = 60 * 60 * 1000;

const DAY_MS = 24 * HOUR_MS;

/** Makes the pager of a question; whatever makes it another question belongs into `question`. */
export function createPager<Position>(
  { name, expire, write, parse }: PageKind<Position>,
  question: readonly unknown[],
  { sealer, now_ms, param = "cursor" }: PagerOptions,
): Pager<Position> {
  const binding = JSON.stringify(question);
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

/** What sealing needs, and the parameter that refusals name. */
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

/** When a cursor of a page or a window made now expires: after a day, rounded up, so that the same page has the same cursor. */
export function expireAfterDay(now_ms: number): number {
  return Math.ceil((now_ms + DAY_MS) / HOUR_MS) * HOUR_MS;
}

/**
 * The same to the millisecond, for cursors that hold the owner's change counter: two of them must not be equal, or their
 * holder could tell whether anything was written outside the grant.
 */
export function expireAfterExactDay(now_ms: number): number {
  return now_ms + DAY_MS;
}

/** When a place in the changes expires as far as its cursor is concerned: the store ends it before. */
export function expireAfterYears(now_ms: number): number {
  return now_ms + 3650 * DAY_MS;
}
