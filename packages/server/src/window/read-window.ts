import {
  type AdjacentRequest,
  type CutWindow,
  cutWindow,
  type FieldInfo,
  type FieldWindowText,
  planWindow,
  requestNeighbours,
  type Sealer,
  sealWindowCursor,
  type WindowSelector,
} from "@rungs/evidence";
import type { FieldSlice, Store } from "@rungs/store";
import { expireAfterDay } from "../cursor/expiry.ts";
import { shapeAt } from "../records/shape-at.ts";
import { explainMissing, type FieldTarget } from "./field-target.ts";
import { planSelector, type WindowPlan } from "./plan.ts";
import { CHECKED_CHARS, requireText } from "./text-check.ts";

interface WindowParts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly now_ms: number;
}

/** A window and the field that it was cut from. */
export interface ReadWindow {
  readonly field: FieldInfo;
  readonly window: FieldWindowText;
}

/** Reads the window that a selector means: no more of the field than the window and its beginning (R25). */
export async function readWindow(
  target: FieldTarget,
  selector: WindowSelector,
  parts: WindowParts,
): Promise<ReadWindow> {
  const plan = await planSelector(target, selector, parts);
  const { slice, head } = await readSlices(target, plan, parts.store);
  if (!slice || !head) throw await explainMissing(target, parts.store);
  requireText(target, head);
  // The text changed between finding the match and reading it.
  if (!plan.fits(slice.digest)) return readWindow(target, selector, parts);
  const cut = cutWindow(plan.request, slice, slice.size_chars);
  return { field: describeField(target, slice), window: describeWindow(target, plan, cut, slice, parts) };
}

async function readSlices(target: FieldTarget, { request }: WindowPlan, store: Store) {
  const { start_chars: start, end_chars: end } = planWindow(request);
  const read = (range: { start: number; end: number }) =>
    store.readField(target.scope, target.ref, target.field_path, range);
  if (start > 0) {
    const [slice, head] = await Promise.all([read({ start, end }), read({ start: 0, end: CHECKED_CHARS })]);
    return { slice, head };
  }
  const slice = await read({ start, end: Math.max(end, CHECKED_CHARS) });
  return { slice, head: slice };
}

function describeField({ field_path: path, shape }: FieldTarget, slice: FieldSlice): FieldInfo {
  const { kind, size_chars, digest } = slice;
  const mime_type = shapeAt(shape, path)?.media_type ?? (kind === "json" ? "application/json" : undefined);
  return { path, ...(mime_type === undefined ? {} : { mime_type }), text_like: true, size_chars, digest };
}

function describeWindow(
  { cursor: target }: FieldTarget,
  { limit_chars, neighbour_chars, match }: WindowPlan,
  cut: CutWindow,
  { digest }: FieldSlice,
  { sealer, now_ms }: WindowParts,
): FieldWindowText {
  const { text, start_chars, end_chars, complete } = cut;
  const { next, previous } = requestNeighbours(cut, neighbour_chars);
  const facts = { digest, expires_at_ms: expireAfterDay(now_ms) };
  const seal = (request: AdjacentRequest | undefined) =>
    request ? sealWindowCursor(request, target, facts, sealer) : null;
  const cursors = { next_cursor: seal(next), previous_cursor: seal(previous) };
  return { text, start_chars, end_chars, limit_chars, complete, ...cursors, match: match ?? null };
}
