/** Finds where a query matches in a field, folded as search folds (R23). */
import {
  charOfUnit,
  countChars,
  type FormFinder,
  findMatches,
  findTokenBorder,
  type Query,
  type QueryClause,
  unitOfChar,
} from "@rungs/evidence";
import type { SqlContext } from "../database.ts";
import { locateQuery, type PlacedClause } from "../index/locate.ts";
import { findChunk, findPosition, readChars, resolvePosition, type StoredText } from "../rows/chunks.ts";
import { INLINE_SPAN, POSITION_SPAN } from "../search/indexed-texts.ts";
import { everyLanguage, loadForms } from "../search/languages.ts";
import { findWideningWords, nearForms } from "../search/near-spellings.ts";
import { bestPlace } from "../search/prove.ts";
import { openIndex } from "../search/segments.ts";
import type { FieldMatch } from "../store.ts";
import { describeInline, type InlineText, type TextRow, toFacts } from "./field-text.ts";

/** A field without index terms is searched in steps of this many characters, and no further than the limit. */
const SCAN_STEP_CHARS = 65_536;
const SCAN_LIMIT_CHARS = 4_194_304;
/** Room for the longest phrase that begins at the end of a step. */
const SCAN_OVERLAP_CHARS = 65_536;

/** In a longer field near spellings would read more of the dictionary than a window may cost. */
const WIDEN_LIMIT_CHARS = 1_048_576;

/** The query, what counts as a form of its words, and where in the field to start. */
interface Wanted {
  readonly query: Query;
  readonly forms: FormFinder;
  readonly from_chars: number;
}

/** Finds a query by `find`; if its words are not in the field, by near spellings of them, as search does. */
export async function findOrWiden(
  query: Query,
  from_chars: number,
  find: (wanted: Wanted) => Promise<FieldMatch>,
): Promise<FieldMatch> {
  const found = await find({ query, forms: await loadForms(everyLanguage), from_chars });
  const isLong = (found.facts?.size_chars ?? 0) > WIDEN_LIMIT_CHARS;
  // Further on in the field, the words may have been found before.
  const near = found.found || from_chars > 0 || isLong ? undefined : findWideningWords(query);
  const widened = near && (await find({ query: near, forms: nearForms, from_chars }));
  return widened?.found ? widened : found;
}

/** Searches a value that is in its record's row. */
export async function findInline(
  inline: InlineText | undefined,
  { query, forms, from_chars }: Wanted,
): Promise<FieldMatch> {
  const facts = describeInline(inline);
  if (!inline || !facts) return { found: false, searched_to: 0, facts: undefined };
  const placed = findMatches(inline.text, query, forms).map((match) => ({
    ...match,
    at: charOfUnit(inline.text, match.start),
  }));
  const best = bestPlace(
    placed.filter(({ at }) => at >= from_chars),
    INLINE_SPAN,
  );
  if (!best) return { found: false, searched_to: facts.size_chars, facts };
  return {
    found: true,
    start_chars: best.at,
    end_chars: best.at + countChars(inline.text.slice(best.start, best.end)),
    facts,
  };
}

/** Searches a text whose terms are in the index, under the number of its field. */
export async function findIndexed(
  context: SqlContext,
  text: TextRow,
  field: number,
  { query, forms, from_chars }: Wanted,
): Promise<FieldMatch> {
  const { sql, owner } = context;
  const reader = await openIndex(sql, owner, text.part, { first_doc: text.doc, last_doc: text.doc });
  const stored = storedText(text);
  const from =
    from_chars === 0 ? (text.first_position as number) : await findPosition(context, stored, from_chars);
  const stretch = { field, doc: text.doc, from, end: text.end_position as number };
  const placed = await locateQuery(reader, query, forms, stretch, POSITION_SPAN);
  while (placed.length > 0) {
    const best = bestPlace(placed, POSITION_SPAN) as PlacedClause;
    const match = await resolvePosition(context, stored, best.at, {
      clause: query.clauses[best.clause] as QueryClause,
      isForm: forms.isForm,
    });
    if (match) return { found: true, ...match, facts: toFacts(text) };
    placed.splice(placed.indexOf(best), 1);
  }
  return { found: false, searched_to: text.size_chars, facts: toFacts(text) };
}

/** Searches a text without index terms by reading it, up to `SCAN_LIMIT_CHARS`. */
export async function scanText(
  context: SqlContext,
  text: TextRow,
  { query, forms, from_chars }: Wanted,
): Promise<FieldMatch> {
  const facts = toFacts(text);
  const stored = storedText(text);
  const limit = Math.min(text.size_chars, from_chars + SCAN_LIMIT_CHARS);
  for (let start = (await findChunk(context, stored, from_chars)).start; start < limit; ) {
    const end = Math.min(text.size_chars, start + SCAN_STEP_CHARS + SCAN_OVERLAP_CHARS);
    const piece = await readChars(context, stored, start, end);
    const first = unitOfChar(piece, from_chars - start);
    const border = findTokenBorder(piece, 0, unitOfChar(piece, SCAN_STEP_CHARS));
    const found = findMatches(piece, query, forms).find(
      (match) => match.start >= first && match.start < border,
    );
    if (!found) {
      start += charOfUnit(piece, border);
      continue;
    }
    const start_chars = start + charOfUnit(piece, found.start);
    return {
      found: true,
      start_chars,
      end_chars: start_chars + countChars(piece.slice(found.start, found.end)),
      facts,
    };
  }
  return { found: false, searched_to: limit, facts };
}

function storedText({ doc, text_no, text_start, size_chars }: TextRow): StoredText {
  return { doc, text_no, start_char: text_start, size_chars };
}
