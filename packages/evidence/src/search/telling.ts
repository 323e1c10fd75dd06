/** Keeps of a page what tells its hits apart: matches of the rarer words, and evidence other than the author's name, which labels show. */
import { formatFieldPath, parseFieldPath } from "../address/field-path.ts";
import { sliceChars } from "../text/code-points.ts";
import type { Match } from "../text/match.ts";
import type { Evidence } from "./evidence.ts";
import type { SearchHit, SearchPage } from "./search-hit.ts";
import { shrinkEvidence } from "./snippet.ts";

/** A word says little beside another that this many times fewer records have, if many of the matching records have it. */
const COMMON_RATIO = 10;
const COMMON_SHARE = 0.2;

/** How many of the matching records have a word; undefined for another form of it than was asked for. */
interface WordCounts {
  readonly total: number;
  countOf(word: string): number | undefined;
}

/** A page whose evidence marks the telling matches only; every hit keeps at least one piece of evidence and one match of it. */
export function keepTelling(page: SearchPage): SearchPage {
  const counts = new Map(page.meta.words?.map(({ word, count }) => [word.toLowerCase(), count]));
  const words = { total: page.meta.count ?? 0, countOf: (word: string) => counts.get(word.toLowerCase()) };
  return { ...page, data: page.data.map((hit) => keepTellingEvidence(hit, words)) };
}

function keepTellingEvidence(hit: SearchHit, words: WordCounts): SearchHit {
  const isTelling = (field: string) => field !== hit.author_field;
  const evidence = hit.evidence.filter((one) => isTelling(nameField(one)));
  if (evidence.length === 0) return hit;
  return {
    ...hit,
    matched_fields: hit.matched_fields.filter(isTelling),
    evidence: evidence.map((one) => keepTellingMatches(one, words)),
  };
}

function keepTellingMatches(evidence: Evidence, { total, countOf }: WordCounts): Evidence {
  const { preview, preview_start_chars: base, preview_end_chars: end, matches } = evidence;
  const shown = matches.filter((match) => isWithin(match, base, end));
  const counts = shown.map(({ start_chars, end_chars }) =>
    countOf(sliceChars(preview, start_chars - base, end_chars - base)),
  );
  const rarest = Math.min(...counts.filter((count) => count !== undefined));
  const isCommon = (count = 0) => count > COMMON_SHARE * total && count > COMMON_RATIO * rarest;
  const common = shown.filter((_, at) => isCommon(counts[at]));
  return { ...evidence, matches: matches.filter((match) => !common.includes(match)) };
}

function isWithin({ start_chars, end_chars }: Match, start: number, end: number): boolean {
  return start_chars >= start && end_chars <= end;
}

/** Previews that are this long leave room for several pieces of evidence. */
const ENOUGH_FOR_SEVERAL_CHARS = 160;
const MAX_PIECES = 4;

/**
 * Shortens a hit's previews to at most `preview_chars` around their matches; if that is little, only the best stays. A whole
 * field that is at most `slack_chars` longer stays whole: what a cut field needs besides would be as long.
 */
export function shrinkHit(hit: SearchHit, preview_chars: number, slack_chars = 0): SearchHit {
  const pieces = hit.evidence.slice(0, preview_chars >= ENOUGH_FOR_SEVERAL_CHARS ? MAX_PIECES : 1);
  const evidence = pieces.map((one) =>
    !one.truncated && one.size_chars <= preview_chars + slack_chars
      ? one
      : shrinkEvidence(one, preview_chars),
  );
  return { ...hit, evidence };
}

/** The paths of the matching fields of which a hit shows nothing; none for a hit without proven evidence (R12). */
export function listOtherMatches({ evidence, matched_fields }: SearchHit): string[] {
  const shown = evidence.map(nameField);
  const others = shown.length === 0 ? [] : matched_fields.filter((name) => !shown.includes(name));
  return others.map((name) => formatFieldPath([name]));
}

/** The top-level field that a piece of evidence is in. */
function nameField({ field_path }: Evidence): string {
  return String(parseFieldPath(field_path)?.[0] ?? field_path);
}
