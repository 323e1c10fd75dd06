/** Verifies the matches of a hit in the stored text (R11). Unverified matches are not shown. */
import {
  charOfUnit,
  countChars,
  type FormFinder,
  type FoundMatch,
  findMatches,
  formatFieldPath,
  type Query,
  type QueryClause,
  sliceChars,
} from "@rungs/evidence";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import type { Sql } from "../database.ts";
import { locateQuery } from "../index/locate.ts";
import type { IndexReader } from "../index/reader.ts";
import { readChars, resolvePosition } from "../rows/chunks.ts";
import { digestText, type LexicalText, lexicalTexts, topLevel } from "../rows/record-rows.ts";
import type { StoredProof, StoredRecord } from "../store.ts";
import type { PassagePlace } from "../vectors/vector-rows.ts";
import { INLINE_SPAN, type IndexedText, POSITION_SPAN, textAtPosition } from "./indexed-texts.ts";

const MAX_PROOFS = 4;
const MAX_MATCHES = 32;
/** How many matches of a long text to look up, from the best one on. */
const MAX_FAR_MATCHES = 6;
const CONTEXT_CHARS = 1_024;

export interface ProofRequest {
  readonly owner: number;
  readonly partition: ScopedPartition;
  readonly reader: IndexReader;
  readonly query: Query;
  readonly forms: FormFinder;
  /** The granted fields that match according to the index, in the order to show them. */
  readonly fields: readonly string[];
}

export async function proveHit(
  sql: Sql,
  request: ProofRequest,
  doc: number,
  { data, cuts }: StoredRecord,
): Promise<StoredProof[]> {
  const encoded = new Set(cuts.flatMap(({ path, kind }) => (kind === "binary" ? [path] : [])));
  const cut = new Set(cuts.flatMap(({ path, kind }) => (kind === "binary" ? [] : [topLevel(path)])));
  const proofs: StoredProof[] = [];
  for (const name of request.fields) {
    const field = request.partition.shape.fields.find((one) => one.name === name);
    if (!field) continue;
    if (cut.has(name)) proofs.push(...(await proveStored(sql, request, doc, name)));
    else
      proofs.push(
        ...lexicalTexts(field, data[name], encoded).flatMap((text) => proveInline(text, request) ?? []),
      );
    if (proofs.length >= MAX_PROOFS) break;
  }
  return proofs.slice(0, MAX_PROOFS);
}

/** The passage that is similar to the query, for a record that has none of its words, or only light ones (R64). */
export async function quotePassage(
  sql: Sql,
  {
    owner,
    partition,
    provenance,
  }: Pick<ProofRequest, "owner" | "partition"> & Pick<StoredProof, "provenance">,
  doc: number,
  record: StoredRecord,
  { field, start_chars, end_chars }: PassagePlace,
): Promise<StoredProof[]> {
  const name = partition.fieldNames[field] as string;
  const field_path = formatFieldPath([name]);
  const shown = {
    provenance,
    field_path,
    text_start_chars: start_chars,
    matches: [],
  };
  const cut = record.cuts.find(({ path }) => path === field_path);
  const whole = record.data[name];
  if (!cut) {
    if (typeof whole !== "string") return [];
    const text = sliceChars(whole, start_chars, end_chars);
    return [{ ...shown, size_chars: countChars(whole), digest: digestText(whole), text }];
  }
  const [stored] = await sql.all<{ text_no: number; start_char: number }>(
    "SELECT text_no, start_char FROM texts WHERE owner = $1 AND doc = $2 AND path = $3",
    [owner, doc, field_path],
  );
  if (!stored) return [];
  const { size_chars, digest } = cut;
  const text = await readChars({ sql, owner }, { doc, size_chars, ...stored }, start_chars, end_chars);
  return [{ ...shown, size_chars, digest, text }];
}

/** The beginning of a record's body, for context: nothing is proven in it. */
export function quoteBody(partition: ScopedPartition, record: StoredRecord): StoredProof[] {
  const body = partition.shape.fields.find(
    ({ role, name }) => role === "body" && partition.granted.has(name),
  );
  const text = body && record.data[body.name];
  if (typeof text !== "string" || text === "") return [];
  const field_path = formatFieldPath([(body as { name: string }).name]);
  const cut = record.cuts.find(({ path }) => path === field_path);
  if (cut?.kind === "binary") return [];
  const { size_chars, digest } = cut ?? { size_chars: countChars(text), digest: digestText(text) };
  return [{ provenance: "context", field_path, size_chars, digest, text, text_start_chars: 0, matches: [] }];
}

function proveInline({ path, text }: LexicalText, { query, forms }: ProofRequest): StoredProof | undefined {
  const found = findMatches(text, query, forms);
  if (found.length === 0) return undefined;
  const best = bestPlace(
    found.map((match) => ({ ...match, at: match.start })),
    INLINE_SPAN,
  ) as FoundMatch;
  const from = Math.max(
    0,
    found.findIndex((match) => match.start >= best.start),
  );
  const ordered = [...found.slice(from), ...found.slice(0, from)];
  return {
    provenance: "lexical_match",
    field_path: path,
    size_chars: countChars(text),
    digest: digestText(text),
    text,
    text_start_chars: 0,
    matches: distinct(ordered.map(({ start, end }) => toChars(text, start, end))).slice(0, MAX_MATCHES),
  };
}

/** Verifies the matches in a field whose texts are in chunks, from the index's positions. */
async function proveStored(
  sql: Sql,
  { owner, partition, reader, query, forms }: ProofRequest,
  doc: number,
  name: string,
): Promise<StoredProof[]> {
  const field = partition.fieldNames.indexOf(name);
  const everything = { field, doc, from: 0, end: Number.POSITIVE_INFINITY };
  const placed = await locateQuery(reader, query, forms, everything, POSITION_SPAN);
  const best = bestPlace(placed, POSITION_SPAN);
  if (!best) return [];
  const text = await textAtPosition(sql, owner, doc, name, best.at);
  if (!text) return [];
  const inText = placed.filter(({ at }) => at >= text.first_position && at < text.end_position);
  const from = inText.indexOf(best);
  const near = [...inText.slice(from), ...inText.slice(0, from)].slice(0, MAX_FAR_MATCHES);
  const matches = [];
  for (const { at, clause } of near) {
    const match = await resolvePosition({ sql, owner }, text, at, {
      clause: query.clauses[clause] as QueryClause,
      isForm: forms.isForm,
    });
    if (match) matches.push(match);
  }
  return matches[0] ? [await aroundMatch(sql, owner, text, distinct(matches))] : [];
}

async function aroundMatch(
  sql: Sql,
  owner: number,
  text: IndexedText,
  matches: StoredProof["matches"],
): Promise<StoredProof> {
  const first = matches[0] as StoredProof["matches"][number];
  const start = Math.max(0, first.start_chars - CONTEXT_CHARS);
  const end = Math.min(text.size_chars, first.end_chars + CONTEXT_CHARS);
  return {
    provenance: "lexical_match",
    field_path: text.path,
    size_chars: text.size_chars,
    digest: text.digest,
    text: await readChars({ sql, owner }, text, start, end),
    text_start_chars: start,
    matches,
  };
}

function toChars(text: string, start: number, end: number): StoredProof["matches"][number] {
  const start_chars = charOfUnit(text, start);
  return { start_chars, end_chars: start_chars + countChars(text.slice(start, end)) };
}

function distinct(matches: StoredProof["matches"]): StoredProof["matches"][number][] {
  const seen = new Set<string>();
  return matches.filter(({ start_chars, end_chars }) => {
    const id = `${start_chars}-${end_chars}`;
    return seen.has(id) ? false : seen.add(id);
  });
}

/** A match of a clause at a character offset or a token position. */
interface Placed {
  readonly at: number;
  readonly clause: number;
}

/**
 * The first match of the place where the clauses within `span` weigh most; ties go to the closest together, then the
 * earliest. A clause weighs more the fewer matches it has here.
 */
export function bestPlace<T extends Placed>(matches: readonly T[], span: number): T | undefined {
  const counts = new Map<number, number>();
  for (const { clause } of matches) counts.set(clause, (counts.get(clause) ?? 0) + 1);
  let best: { readonly first: T; readonly weight: number; readonly width: number } | undefined;
  for (const [start, first] of matches.entries()) {
    const { weight, width } = measureFrom(matches, start, span, counts);
    if (!best || weight > best.weight || (weight === best.weight && width < best.width)) {
      best = { first, weight, width };
    }
  }
  return best?.first;
}

/** The weight of the clauses within `span` of a match, and how far away the last of them first occurs. */
function measureFrom(
  matches: readonly Placed[],
  start: number,
  span: number,
  counts: ReadonlyMap<number, number>,
): { weight: number; width: number } {
  const from = (matches[start] as Placed).at;
  const seen = new Set<number>();
  let width = 0;
  let weight = 0;
  for (let number = start; number < matches.length; number += 1) {
    const { at, clause } = matches[number] as Placed;
    if (at - from > span) break;
    if (seen.has(clause)) continue;
    seen.add(clause);
    weight += 1 + 1 / (counts.get(clause) as number);
    width = at - from;
  }
  return { weight, width };
}
