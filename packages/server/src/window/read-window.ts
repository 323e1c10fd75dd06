import {
  type AdjacentRequest,
  createWindowMeasure,
  type FieldInfo,
  type FieldWindowText,
  fitWindow,
  formatRecordId,
  planWindow,
  requestNeighbours,
  type Sealer,
  sealWindowCursor,
  WINDOW_DEFAULT_CHARS,
  type WindowSelector,
} from "@rungs/evidence";
import type { FieldSlice, Store } from "@rungs/store";
import { expireAfterDay } from "../cursor/page-cursor.ts";
import { findFieldShape } from "../records/target.ts";
import { explainMissing, type FieldTarget } from "./field-target.ts";
import type { KnownTexts } from "./known-texts.ts";
import { planSelector, type WindowPlan } from "./plan-window.ts";
import { CHECKED_CHARS, formatTextKey, requireText } from "./text-check.ts";

interface WindowContext {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly now_ms: number;
  readonly known_texts: KnownTexts;
}

/** A window and its field. */
export interface ReadWindow {
  readonly field: FieldInfo;
  readonly window: FieldWindowText;
}

/** Reads the window that a selector means: only the window and the beginning of the field (R25). */
export async function readWindow(
  target: FieldTarget,
  selector: WindowSelector,
  context: WindowContext,
): Promise<ReadWindow> {
  const plan = await planSelector(target, selector, context);
  const { start_chars: start, end_chars: end } = planWindow(plan.request);
  const slice = await readSlice(
    target,
    { start, end: start > 0 ? end : Math.max(end, CHECKED_CHARS) },
    context,
  );
  // The text changed between two reads: start over.
  if (!plan.fits(slice.digest) || !(await isText(target, slice, context))) {
    return readWindow(target, selector, context);
  }
  const cut = cutPlanned(plan, slice, formatRecordId(target.ref));
  const { digest } = slice;
  return {
    field: describeField(target, slice),
    window: describeWindow(target, { plan, cut, digest }, context),
  };
}

/** A size that the caller chose is kept; a default window fits every face and host. */
function cutPlanned({ request, is_sized }: WindowPlan, slice: FieldSlice, id: string): SizedWindow {
  return fitWindow(request, slice, slice.size_chars, is_sized ? () => 0 : createWindowMeasure(id));
}

/** Checks by its beginning that the field is text, or throws (R33); false when the text changed meanwhile. */
async function isText(target: FieldTarget, slice: FieldSlice, context: WindowContext): Promise<boolean> {
  const key = formatTextKey(target, slice);
  if (context.known_texts.has(key)) return true;
  const head =
    slice.start_chars === 0 ? slice : await readSlice(target, { start: 0, end: CHECKED_CHARS }, context);
  if (head.digest !== slice.digest) return false;
  await requireText(target, head, context.store);
  context.known_texts.add(key);
  return true;
}

async function readSlice(
  target: FieldTarget,
  range: { start: number; end: number },
  { store }: WindowContext,
): Promise<FieldSlice> {
  const slice = await store.readField(target.scope, target.ref, target.field_path, range);
  if (!slice) throw await explainMissing(target, store);
  return slice;
}

function describeField({ field_path: path, shape }: FieldTarget, slice: FieldSlice): FieldInfo {
  const { kind, size_chars, digest } = slice;
  const mime_type =
    findFieldShape(shape, path)?.media_type ?? (kind === "json" ? "application/json" : undefined);
  return { path, ...(mime_type === undefined ? {} : { mime_type }), text_like: true, size_chars, digest };
}

type SizedWindow = ReturnType<typeof fitWindow>;

interface PlannedCut {
  readonly plan: WindowPlan;
  readonly cut: SizedWindow;
  readonly digest: string;
}

function describeWindow(
  { cursor: target }: FieldTarget,
  { plan, cut, digest }: PlannedCut,
  { sealer, now_ms }: WindowContext,
): FieldWindowText {
  const { neighbour_chars, match } = plan;
  const { text, start_chars, end_chars, limit_chars, complete } = cut;
  const { next, previous } = requestNeighbours(cut, neighbour_chars ?? WINDOW_DEFAULT_CHARS);
  const is_sized = neighbour_chars !== undefined;
  const facts = { digest, expires_at_ms: expireAfterDay(now_ms) };
  const seal = (request: AdjacentRequest | undefined) =>
    request ? sealWindowCursor({ request, is_sized }, target, facts, sealer) : null;
  const cursors = { next_cursor: seal(next), previous_cursor: seal(previous) };
  return { text, start_chars, end_chars, limit_chars, complete, ...cursors, match: match ?? null };
}
