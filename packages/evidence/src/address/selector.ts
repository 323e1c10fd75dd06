import { z } from "zod";
import { CodedError } from "../coded-error.ts";

/** The default size of a window. */
export const WINDOW_DEFAULT_CHARS = 4096;

/** The largest window. */
export const WINDOW_MAX_CHARS = 16384;

/** The default context before and after a match. */
export const AROUND_DEFAULT_CHARS = 2048;

/** The largest context before or after a match. */
const AROUND_MAX_CHARS = 8192;

const offsetChars = z.int().min(0);
const limitChars = z.int().min(1).max(WINDOW_MAX_CHARS);
const aroundChars = z.int().min(0).max(AROUND_MAX_CHARS);

/** The six selector fields of a field read, to spread into an operation's input. */
export const windowSelectorShape = {
  cursor: z.string().optional(),
  offset_chars: offsetChars.optional(),
  limit_chars: limitChars.optional(),
  q: z.string().optional(),
  before_chars: aroundChars.optional(),
  after_chars: aroundChars.optional(),
};

const windowSelectorInputSchema = z.object(windowSelectorShape);

/** The selector fields as a caller sends them. */
export type WindowSelectorInput = z.infer<typeof windowSelectorInputSchema>;

/**
 * One window of a field: at an offset, at a cursor, or around the first match of a query. Holds only sizes from the
 * caller: the reader fills in the defaults, because only a default window may shrink (`fitWindow`).
 */
export const windowSelectorSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("offset"),
    offset_chars: offsetChars,
    limit_chars: limitChars.optional(),
  }),
  z.strictObject({ kind: z.literal("cursor"), cursor: z.string(), limit_chars: limitChars.optional() }),
  z.strictObject({
    kind: z.literal("match"),
    q: z.string(),
    before_chars: aroundChars.optional(),
    after_chars: aroundChars.optional(),
    limit_chars: limitChars.optional(),
  }),
]);

/** A window selector. */
export type WindowSelector = z.infer<typeof windowSelectorSchema>;

/** Parses the selector of an input, or throws `invalid_selector` for fields that exclude each other (R21). */
export function requireWindowSelector(input: WindowSelectorInput): WindowSelector {
  const { cursor, q, limit_chars, offset_chars = 0 } = input;
  if (cursor !== undefined) {
    for (const other of ["offset_chars", "q", "before_chars", "after_chars"] as const) {
      if (input[other] !== undefined) refuse(other, `${other} cannot be combined with cursor.`);
    }
    return { kind: "cursor", cursor, limit_chars };
  }
  if (q !== undefined) {
    if (input.offset_chars !== undefined) refuse("offset_chars", "offset_chars cannot be combined with q.");
    const { before_chars, after_chars } = input;
    return { kind: "match", q, before_chars, after_chars, limit_chars };
  }
  for (const around of ["before_chars", "after_chars"] as const) {
    if (input[around] !== undefined) refuse(around, `${around} needs q.`);
  }
  return { kind: "offset", offset_chars, limit_chars };
}

function refuse(param: string, message: string): never {
  throw new CodedError("invalid_selector", { param, message });
}
