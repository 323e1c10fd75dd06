/** Windows of fields: what a field is, a piece of its text, a place in it. */
import { type Query, charOfUnit, countBytes, countChars, findMatches, findTokenBorder, requireFieldPath, sliceChars, unitOfChar, valueAt } from "@rungs/evidence";
import type { ReadScope, StreamScope } from "@rungs/contract";
import { type Database, Parameters, type Row, type Sql } from "../database.ts";
import { locateClause } from "../index/match.ts";
import type { FieldFacts, FieldMatch, FieldSlice, RecordRef, Store } from "../store.ts";
import { bestPlace } from "./best-place.ts";
import type { Catalog } from "./catalog.ts";
import { joinRange, positionAt, readChars, resolvePosition } from "./chunks.ts";
import { digestText } from "./digest.ts";
import { INLINE_SPAN, POSITION_SPAN } from "./indexed-texts.ts";
import { openIndex } from "./open-index.ts";
import { topLevel } from "./record-rows.ts";
import { idWithin, timeWithin } from "./scope-sql.ts";

/** A field without an index is searched for a word in steps of this many characters, and no further than the limit. */
const SCAN_STEP_CHARS = 65_536;
const SCAN_LIMIT_CHARS = 4_194_304;
/** Room for the longest phrase that begins at the end of a step. */
const SCAN_OVERLAP_CHARS = 4_096;

interface TextRow extends Row {
  part: number;
  doc: number;
  text_no: number;
  field: string;
  kind: "text" | "json";
  size_chars: number;
  size_bytes: number;
  digest: string;
  first_position: number | null;
  end_position: number | null;
}

const TEXT_COLUMNS = "p.part, t.doc, t.text_no, t.field, t.kind, t.size_chars, t.size_bytes, t.digest, t.first_position, t.end_position";

export function createFields(database: Database, catalog: Catalog) {
  return {
    async describeField(scope, ref, field_path) {
      const place = findPlace(scope, ref, field_path);
      if (!place) return undefined;
      const owner = await catalog.ownerNumber(scope.owner_id);
      return database.peek(async (sql) => {
        const text = await findText(sql, owner, place);
        if (text) return factsOf(text);
        return factsOfInline(await readInline(sql, owner, place));
      });
    },

    async readField(scope, ref, field_path, range) {
      const place = findPlace(scope, ref, field_path);
      if (!place) return undefined;
      const owner = await catalog.ownerNumber(scope.owner_id);
      return database.peek(async (sql) => {
        const slice = await readStored(sql, owner, place, range);
        if (slice) return slice;
        const inline = await readInline(sql, owner, place);
        const facts = factsOfInline(inline);
        return inline && facts && sliceOf(facts, range, (start, end) => sliceChars(inline.text, start, end));
      });
    },

    async findInField(scope, ref, field_path, query, from_chars = 0) {
      const place = findPlace(scope, ref, field_path);
      if (!place) return { found: false, searched_to: 0, facts: undefined };
      const owner = await catalog.ownerNumber(scope.owner_id);
      return database.read(async (sql) => {
        const text = await findText(sql, owner, place);
        if (!text) return findInline(await readInline(sql, owner, place), query, from_chars);
        if (text.first_position === null) return scanText(sql, owner, text, query, from_chars);
        return findIndexed(sql, owner, catalog, scope, place, text, query, from_chars);
      });
    },
  } satisfies Partial<Store>;
}

/** A field that the scope covers, with the limits that the statement must carry. */
interface Place {
  readonly ref: RecordRef;
  readonly path: string;
  readonly field: string;
  readonly limits: StreamScope;
}

function findPlace(scope: ReadScope, ref: RecordRef, field_path: string): Place | undefined {
  requireFieldPath(field_path);
  const field = topLevel(field_path);
  const limits = scope.streams.find((one) => one.connection_id === ref.connection_id && one.stream === ref.stream);
  return limits?.fields.includes(field) ? { ref, path: field_path, field, limits } : undefined;
}

/** `parts p` and `records r` of the one record, under the scope. */
function recordOf(sql: Sql, parameters: Parameters, owner: number, { ref, limits }: Place): string {
  const conditions = [
    `p.owner = ${parameters.add(owner)}`,
    `p.connection_id = ${parameters.add(ref.connection_id)}`,
    `p.stream = ${parameters.add(ref.stream)}`,
    `r.owner = p.owner AND r.part = p.part AND r.record_id = ${parameters.add(ref.record_id)}`,
    ...timeWithin(parameters, limits.time, "r.time_ms"),
    ...idWithin(sql.dialect, parameters, limits, "r.record_id"),
  ];
  return conditions.join(" AND ");
}

function textOf(sql: Sql, parameters: Parameters, owner: number, place: Place): string {
  return `${recordOf(sql, parameters, owner, place)} AND t.owner = r.owner AND t.doc = r.doc AND t.path = ${parameters.add(place.path)}
    AND ${sql.dialect.isAnyText("t.field", parameters.add(place.limits.fields))}`;
}

async function findText(sql: Sql, owner: number, place: Place): Promise<TextRow | undefined> {
  const parameters = new Parameters();
  const [row] = await sql.all<TextRow>(
    `SELECT ${TEXT_COLUMNS} FROM parts p, records r, texts t WHERE ${textOf(sql, parameters, owner, place)}`,
    parameters.values,
  );
  return row;
}

/** A piece of a text in chunks: one statement, the scope in it. */
async function readStored(sql: Sql, owner: number, place: Place, range: { start: number; end: number }): Promise<FieldSlice | undefined> {
  const parameters = new Parameters();
  const text = textOf(sql, parameters, owner, place);
  const start = parameters.add(range.start);
  const rows = await sql.all<TextRow & { start_char: number; body: Uint8Array }>(
    `SELECT ${TEXT_COLUMNS}, c.start_char, c.body FROM parts p, records r, texts t, chunks c
     WHERE ${text} AND c.owner = t.owner AND c.doc = t.doc AND c.text_no = t.text_no AND c.start_char < ${parameters.add(Math.max(range.end, range.start + 1))}
       AND c.start_char >= (SELECT max(d.start_char) FROM chunks d WHERE d.owner = t.owner AND d.doc = t.doc AND d.text_no = t.text_no AND d.start_char <= ${start})
     ORDER BY c.start_char`,
    parameters.values,
  );
  const [first] = rows;
  return first && sliceOf(factsOf(first), range, (from, to) => joinRange(sql, rows, from, to));
}

interface InlineText {
  readonly kind: "text" | "json";
  readonly text: string;
}

/** A value that is in its record's row; undefined for what is missing, null, or inside a cut value. */
async function readInline(sql: Sql, owner: number, place: Place): Promise<InlineText | undefined> {
  const parameters = new Parameters();
  const [row] = await sql.all<{ data: string; cuts: string }>(
    `SELECT r.data, r.cuts FROM parts p, records r WHERE ${recordOf(sql, parameters, owner, place)}`,
    parameters.values,
  );
  if (!row) return undefined;
  const cut = (JSON.parse(row.cuts) as { path: string }[]).some(({ path }) => topLevel(path) === place.field);
  const value = cut ? undefined : valueAt(JSON.parse(row.data), requireFieldPath(place.path));
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? { kind: "text", text: value } : { kind: "json", text: JSON.stringify(value) };
}

function factsOf({ kind, size_chars, size_bytes, digest }: FieldFacts): FieldFacts {
  return { kind, size_chars, size_bytes, digest };
}

function factsOfInline(inline: InlineText | undefined): FieldFacts | undefined {
  if (!inline) return undefined;
  const { kind, text } = inline;
  return { kind, size_chars: countChars(text), size_bytes: countBytes(text), digest: digestText(text) };
}

function sliceOf(facts: FieldFacts, range: { start: number; end: number }, read: (start: number, end: number) => string): FieldSlice {
  const start_chars = Math.min(range.start, facts.size_chars);
  const end_chars = Math.max(start_chars, Math.min(range.end, facts.size_chars));
  return { ...facts, text: read(start_chars, end_chars), start_chars, end_chars };
}

function findInline(inline: InlineText | undefined, query: Query, from_chars: number): FieldMatch {
  const facts = factsOfInline(inline);
  if (!inline || !facts) return { found: false, searched_to: 0, facts: undefined };
  const placed = findMatches(inline.text, query).map((match) => ({ ...match, at: charOfUnit(inline.text, match.start) }));
  const best = bestPlace(placed.filter(({ at }) => at >= from_chars), INLINE_SPAN);
  if (!best) return { found: false, searched_to: facts.size_chars, facts };
  return { found: true, start_chars: best.at, end_chars: best.at + countChars(inline.text.slice(best.start, best.end)), facts };
}

async function findIndexed(
  sql: Sql,
  owner: number,
  catalog: Catalog,
  scope: ReadScope,
  place: Place,
  text: TextRow,
  query: Query,
  from_chars: number,
): Promise<FieldMatch> {
  const part = await catalog.scopedPart(sql, owner, scope, place.ref);
  const reader = await openIndex(sql, owner, text.part, { first_doc: text.doc, last_doc: text.doc });
  const field = part?.fieldNames.indexOf(text.field) ?? -1;
  const from = from_chars === 0 ? (text.first_position as number) : await positionAt(sql, owner, text, from_chars);
  const placed: { at: number; clause: number }[] = [];
  for (const [clause, wanted] of query.clauses.entries()) {
    for (const at of await locateClause(reader, wanted, field, text.doc)) {
      if (at >= from && at < (text.end_position as number)) placed.push({ at, clause });
    }
  }
  placed.sort((a, b) => a.at - b.at || a.clause - b.clause);
  while (placed.length > 0) {
    const best = bestPlace(placed, POSITION_SPAN) as { at: number; clause: number };
    const match = await resolvePosition(sql, owner, text, best.at, query.clauses[best.clause] as Query["clauses"][number]);
    if (match && match.start_chars >= from_chars) return { found: true, ...match, facts: factsOf(text) };
    placed.splice(placed.indexOf(best), 1);
  }
  return { found: false, searched_to: text.size_chars, facts: factsOf(text) };
}

async function scanText(sql: Sql, owner: number, text: TextRow, query: Query, from_chars: number): Promise<FieldMatch> {
  const facts = factsOf(text);
  const limit = Math.min(text.size_chars, from_chars + SCAN_LIMIT_CHARS);
  for (let start = from_chars; start < limit; ) {
    const piece = await readChars(sql, owner, text, start, start + SCAN_STEP_CHARS + SCAN_OVERLAP_CHARS);
    const border = findTokenBorder(piece, 0, unitOfChar(piece, SCAN_STEP_CHARS));
    const found = findMatches(piece, query).find((match) => match.start < border);
    if (!found) {
      start += charOfUnit(piece, border);
      continue;
    }
    const start_chars = start + charOfUnit(piece, found.start);
    return { found: true, start_chars, end_chars: start_chars + countChars(piece.slice(found.start, found.end)), facts };
  }
  return { found: false, searched_to: limit, facts };
}
