/** Which window to cut, and what the store must read for it (R22, R25). */
import { LOOK_AROUND_UNITS } from "../text/graphemes.ts";
import type { Match } from "../text/match.ts";

/** A window that starts exactly at a position. */
interface ForwardRequest {
  readonly kind: "forward";
  readonly start_chars: number;
  readonly limit_chars: number;
}

/** A window that ends exactly at a position. */
interface BackwardRequest {
  readonly kind: "backward";
  readonly end_chars: number;
  readonly limit_chars: number;
}

/** A window that contains a whole match; a limit takes from both sides in proportion, never from the match. */
interface MatchRequest {
  readonly kind: "match";
  readonly match: Match;
  readonly before_chars: number;
  readonly after_chars: number;
  readonly limit_chars?: number | undefined;
}

/** A window adjacent to another one. */
export type AdjacentRequest = ForwardRequest | BackwardRequest;

/** Which window to cut: forwards or backwards from a position, or around a match. */
export type WindowRequest = AdjacentRequest | MatchRequest;

/** A range of a field's code points, the end excluded. */
export interface CharRange {
  readonly start_chars: number;
  readonly end_chars: number;
}

/** Plans the range that the store must read for `cutWindow`: the window and a margin, possibly past the field's end. */
export function planWindow(request: WindowRequest): CharRange {
  const { start_chars, end_chars } = aimWindow(request, Number.MAX_SAFE_INTEGER);
  const back = request.kind === "forward" ? 0 : LOOK_AROUND_UNITS;
  const on = request.kind === "backward" ? 0 : LOOK_AROUND_UNITS;
  return { start_chars: Math.max(0, start_chars - back), end_chars: end_chars + on };
}

/** The requested range within a field of `size_chars`, before its free side moves to a grapheme border. */
export function aimWindow(request: WindowRequest, size_chars: number): CharRange {
  switch (request.kind) {
    case "forward": {
      const start_chars = Math.min(request.start_chars, size_chars);
      return { start_chars, end_chars: Math.min(start_chars + request.limit_chars, size_chars) };
    }
    case "backward": {
      const end_chars = Math.min(request.end_chars, size_chars);
      return { start_chars: Math.max(0, end_chars - request.limit_chars), end_chars };
    }
    case "match":
      return aimAround(request, size_chars);
  }
}

function aimAround(request: MatchRequest, size_chars: number): CharRange {
  const { match, before_chars, after_chars, limit_chars = Number.POSITIVE_INFINITY } = request;
  const around = before_chars + after_chars;
  const room = Math.max(0, limit_chars - (match.end_chars - match.start_chars));
  const before = around <= room ? before_chars : Math.floor((room * before_chars) / around);
  const after = around <= room ? after_chars : room - before;
  return {
    start_chars: Math.max(0, match.start_chars - before),
    end_chars: Math.min(size_chars, match.end_chars + after),
  };
}
