import { ApiError } from "@rungs/contract";
import {
  AROUND_DEFAULT_CHARS,
  type FieldWindowText,
  openWindowCursor,
  requireFreshWindow,
  requireQuery,
  type Sealer,
  WINDOW_DEFAULT_CHARS,
  WINDOW_MAX_CHARS,
  type WindowRequest,
  type WindowSelector,
} from "@rungs/evidence";
import type { FieldMatch, Store } from "@rungs/store";
import { explainMissing, type FieldTarget, identifyField } from "./field-target.ts";
import { CHECKED_CHARS, requireText } from "./text-check.ts";

/** Which window to cut, and from which version of the text. */
export interface WindowPlan {
  readonly request: WindowRequest;
  /** Whether the caller chose the window's size; a default one shrinks where its text is dense. */
  readonly is_sized: boolean;
  /** The size of the adjacent windows; undefined: the default one. */
  readonly neighbour_chars: number | undefined;
  readonly match: FieldWindowText["match"];
  /** Whether the plan was made for the text with this digest; throws on a stale cursor. */
  readonly fits: (digest: string) => boolean;
}

interface PlanContext {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly now_ms: number;
}

/** Plans the window that a selector means. */
export function planSelector(
  target: FieldTarget,
  selector: WindowSelector,
  context: PlanContext,
): WindowPlan | Promise<WindowPlan> {
  switch (selector.kind) {
    case "offset":
      return planOffset(selector);
    case "cursor":
      return planCursor(target, selector, context);
    case "match":
      return planMatch(target, selector, context);
  }
}

type Selector<Kind> = Extract<WindowSelector, { kind: Kind }>;

function planOffset({ offset_chars: start_chars, limit_chars }: Selector<"offset">): WindowPlan {
  return {
    request: { kind: "forward", start_chars, limit_chars: limit_chars ?? WINDOW_DEFAULT_CHARS },
    is_sized: limit_chars !== undefined,
    neighbour_chars: limit_chars,
    match: null,
    fits: () => true,
  };
}

function planCursor(target: FieldTarget, selector: Selector<"cursor">, context: PlanContext): WindowPlan {
  const position = openWindowCursor(selector.cursor, target.cursor, context.now_ms, context.sealer);
  const limit_chars = selector.limit_chars ?? position.request.limit_chars;
  const is_sized = selector.limit_chars !== undefined || position.is_sized;
  return {
    request: { ...position.request, limit_chars },
    is_sized,
    neighbour_chars: is_sized ? limit_chars : undefined,
    match: null,
    fits(digest) {
      requireFreshWindow(position, target.cursor, digest);
      return true;
    },
  };
}

async function planMatch(
  target: FieldTarget,
  { q, limit_chars, ...around }: Selector<"match">,
  { store }: PlanContext,
): Promise<WindowPlan> {
  const { before_chars = AROUND_DEFAULT_CHARS, after_chars = AROUND_DEFAULT_CHARS } = around;
  const found = await store.findInField(target.scope, target.ref, target.field_path, requireQuery(q));
  if (!found.facts) throw await explainMissing(target, store);
  if (!found.found) throw await explainUnmatched(target, found, store);
  const { start_chars, end_chars, facts } = found;
  const match = { start_chars, end_chars };
  const width = before_chars + end_chars - start_chars + after_chars;
  const limit = limit_chars ?? Math.min(width, WINDOW_MAX_CHARS);
  return {
    request: { kind: "match", match, before_chars, after_chars, limit_chars: limit },
    is_sized: [limit_chars, around.before_chars, around.after_chars].some((size) => size !== undefined),
    neighbour_chars: limit_chars,
    match: { q, ...match },
    fits: (digest) => digest === facts.digest,
  };
}

/** Checks for binary content first: it has no words to match. */
async function explainUnmatched(
  target: FieldTarget,
  { searched_to, facts }: FieldMatch & { found: false },
  store: Store,
): Promise<ApiError> {
  const range = { start: 0, end: CHECKED_CHARS };
  const head = await store.readField(target.scope, target.ref, target.field_path, range);
  if (head) await requireText(target, head, store);
  const isWhole = searched_to >= (facts?.size_chars ?? 0);
  return new ApiError("match_not_found", {
    ...identifyField(target),
    param: "q",
    searched_to_chars: searched_to,
    size_chars: facts?.size_chars,
    ...(isWhole
      ? { next: "Read the field by offset_chars, or search for other words." }
      : {
          message: `The text does not occur in the first ${searched_to} characters of this field.`,
          next: `Read on with offset_chars=${searched_to}.`,
        }),
  });
}
