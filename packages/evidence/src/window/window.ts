/**
 * Cuts windows (R22). A window's fixed side is exact, so adjacent windows never overlap and never skip text; its free
 * side moves inwards to a grapheme border if one is near.
 */
import { countChars, unitOfChar } from "../text/code-points.ts";
import { findBorderAfter, findBorderBefore } from "../text/graphemes.ts";
import { type AdjacentRequest, aimWindow, type CharRange, type WindowRequest } from "./window-request.ts";

/** A slice of a field as the store read it: at least the planned range, up to the end of the field. */
export interface TextSlice {
  readonly text: string;
  readonly start_chars: number;
  /** Counted by default. */
  readonly end_chars?: number;
}

/** A window after cutting. */
export interface CutWindow extends CharRange {
  readonly text: string;
  /** Whether the window is the entire field. */
  readonly complete: boolean;
  readonly has_previous: boolean;
  readonly has_next: boolean;
}

/** Measures what share of a window's room a text takes; above 1, it does not fit. */
export type MeasureFill = (text: string) => number;

/** Cuts a window that fits its room: shorter where its text is dense, as far as the match and one character allow. */
export function fitWindow(
  request: WindowRequest,
  slice: TextSlice,
  size_chars: number,
  measureFill: MeasureFill,
): CutWindow & { readonly limit_chars: number } {
  let limit_chars = request.limit_chars ?? Number.POSITIVE_INFINITY;
  for (let window = cutWindow(request, slice, size_chars); ; ) {
    const fill = measureFill(window.text);
    const chars = window.end_chars - window.start_chars;
    const fewer = Math.max(1, Math.min(chars - 1, Math.floor(chars / fill)));
    const narrower = fill > 1 ? cutWindow({ ...request, limit_chars: fewer }, slice, size_chars) : window;
    if (narrower.text.length >= window.text.length) return { ...window, limit_chars };
    [window, limit_chars] = [narrower, fewer];
  }
}

/** Creates the requests for the adjacent windows, where text is left. */
export function requestNeighbours(
  { start_chars, end_chars, has_previous, has_next }: CutWindow,
  limit_chars: number,
): { readonly next: AdjacentRequest | undefined; readonly previous: AdjacentRequest | undefined } {
  return {
    next: has_next ? { kind: "forward", start_chars: end_chars, limit_chars } : undefined,
    previous: has_previous ? { kind: "backward", end_chars: start_chars, limit_chars } : undefined,
  };
}

/** Cuts the requested window out of a slice of a field of `size_chars`; it is empty only where no text is left. */
export function cutWindow(request: WindowRequest, slice: TextSlice, size_chars: number): CutWindow {
  const aim = aimWindow(request, size_chars);
  const isEmpty = aim.start_chars === aim.end_chars;
  const { text, start_chars, end_chars } = isEmpty ? { ...aim, text: "" } : trim(request, aim, slice);
  const has_previous = start_chars > 0;
  const has_next = end_chars < size_chars;
  return { text, start_chars, end_chars, complete: !has_previous && !has_next, has_previous, has_next };
}

function trim(request: WindowRequest, aim: CharRange, slice: TextSlice) {
  const { text } = slice;
  const sliceEnd = slice.end_chars ?? slice.start_chars + countChars(text);
  if (slice.start_chars > aim.start_chars || sliceEnd < aim.end_chars) {
    throw new RangeError("The slice does not cover the window.");
  }
  // Most slices end where the window does: no counting needed.
  const unitAt = (chars: number) =>
    chars === sliceEnd ? text.length : unitOfChar(text, chars - slice.start_chars);
  const from = unitAt(aim.start_chars);
  const to = unitAt(aim.end_chars);
  let [start, end] = [from, to];
  if (request.kind !== "forward") {
    const latest = request.kind === "match" ? unitAt(request.match.start_chars) : to;
    const border = findBorderAfter(text, from, to);
    if (border !== undefined && border <= latest) start = border;
  }
  if (request.kind !== "backward") {
    const earliest = request.kind === "match" ? unitAt(request.match.end_chars) : from;
    const border = findBorderBefore(text, to, from);
    if (border !== undefined && border >= earliest) end = border;
  }
  return {
    text: text.slice(start, end),
    start_chars: aim.start_chars + countChars(text.slice(from, start)),
    end_chars: aim.end_chars - countChars(text.slice(end, to)),
  };
}
