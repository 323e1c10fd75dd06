/**
 * Records with as many whole values as an answer may hold. Which values are whole is decided by the visible fields of the
 * record at hand, never by where they are stored and never by a hidden field: short ones are whole, longer ones get equal parts
 * of the rest and are cut if that is not enough.
 */
import { countBytes, countChars, formatFieldPath, isBlobRef, shareOut, sliceChars } from "@rungs/evidence";
import type { ScopedContext } from "../catalog/scope-sql.ts";
import { Parameters } from "../database.ts";
import { joinRange } from "../rows/chunks.ts";
import { digestText, type RecordRow, topLevel, toStoredRecord } from "../rows/record-rows.ts";
import { HEAD_CHARS } from "../rows/sizes.ts";
import type { StoredCut, StoredRecord, ValueLimits } from "../store.ts";

/** A row as a scope sees it; its values are as whole as the limits allow. */
export async function readValues(
  context: ScopedContext,
  row: RecordRow,
  fields: ReadonlySet<string>,
  limits: ValueLimits | undefined,
): Promise<StoredRecord> {
  const record = toStoredRecord(context.partition, row, fields);
  const isShort = record.cuts.length === 0 && row.data.length <= (limits?.record_chars ?? 0);
  return limits === undefined || isShort ? record : fitValues({ ...context, doc: row.doc }, record, limits);
}

/** Drops the records at the end of a page that would make it longer than its limit; keeps at least one. */
export function trimPage<Row extends RecordRow>(
  { partition }: ScopedContext,
  rows: readonly Row[],
  fields: ReadonlySet<string>,
  limits: ValueLimits | undefined,
): readonly Row[] {
  if (limits?.page_chars === undefined) return rows;
  let left = limits.page_chars;
  const past = rows.findIndex((row, at) => {
    left -= measureRecord(toStoredRecord(partition, row, fields));
    return left < 0 && at > 0;
  });
  return past < 0 ? rows : rows.slice(0, past);
}

function measureRecord({ data, cuts }: StoredRecord): number {
  return cuts.reduce((sum, { size_chars }) => sum + size_chars, JSON.stringify(data).length);
}

interface DocContext extends ScopedContext {
  readonly doc: number;
}

async function fitValues(
  context: DocContext,
  record: StoredRecord,
  { value_chars, record_chars }: ValueLimits,
): Promise<StoredRecord> {
  const encoded = record.cuts.filter(({ kind }) => kind === "binary");
  const long = record.cuts.filter(({ kind }) => kind !== "binary");
  const cutOf = new Map(long.map((cut) => [topLevel(cut.path), cut]));
  const entries = Object.entries(record.data);
  // A reference to a file stays whole: only its complete id leads to the file.
  const measure = (value: unknown) => (isBlobRef(value) ? 0 : countChars(textOf(value)));
  const sizes = entries.map(([name, value]) => cutOf.get(name)?.size_chars ?? measure(value));
  const shares = shareOut(
    sizes.map((size) => Math.min(size, value_chars)),
    record_chars,
  );
  const isWhole = (at: number) => sizes[at]! <= shares[at]!;
  const wanted = entries.flatMap(([name], at) => (isWhole(at) ? (cutOf.get(name) ?? []) : []));
  const texts = await readTexts(context, wanted);
  const data: Record<string, unknown> = {};
  const cuts: StoredCut[] = [];
  for (const [at, [name, value]] of entries.entries()) {
    const cut = cutOf.get(name);
    if (isWhole(at)) data[name] = cut ? parseText(cut, texts.get(cut.path) ?? "") : value;
    else {
      const shorter = shorten(cut ?? describeCut(name, value), Math.min(HEAD_CHARS, shares[at]!));
      cuts.push(shorter);
      data[name] = shorter.kind === "text" ? shorter.head : null;
    }
  }
  // Encoded bytes are described in the data already, wherever they are.
  return { ...record, data, cuts: [...cuts, ...encoded] };
}

/** The whole texts of cut values, by path, from the chunks of the record that the scope has been checked for. */
async function readTexts(
  { sql, owner, doc, partition }: DocContext,
  cuts: readonly StoredCut[],
): Promise<ReadonlyMap<string, string>> {
  if (cuts.length === 0) return new Map();
  const parameters = new Parameters();
  const rows = await sql.all<{ path: string; text_no: number; start_char: number; body: Uint8Array }>(
    `SELECT t.path, t.text_no, c.start_char, c.body FROM texts t CROSS JOIN chunks c
     WHERE t.owner = ${parameters.add(owner)} AND t.doc = ${parameters.add(doc)}
       AND ${sql.dialect.isAnyText("t.path", parameters.add(cuts.map(({ path }) => path)))}
       AND ${sql.dialect.isAnyText("t.field", parameters.add([...partition.granted]))}
       AND c.owner = t.owner AND c.doc = t.doc AND c.text_no = t.text_no
     ORDER BY t.path, c.start_char`,
    parameters.values,
  );
  const chunks = Map.groupBy(rows, ({ path }) => path);
  return new Map(
    cuts.map(({ path, size_chars }) => {
      const found = chunks.get(path) ?? [];
      const text = { doc, text_no: found[0]?.text_no ?? 0 };
      return [path, joinRange({ sql, owner }, text, found, 0, size_chars)];
    }),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parseText({ kind }: StoredCut, text: string): unknown {
  return kind === "text" ? text : JSON.parse(text);
}

function describeCut(name: string, value: unknown): StoredCut {
  const text = textOf(value);
  return {
    path: formatFieldPath([name]),
    kind: typeof value === "string" ? "text" : "json",
    size_chars: countChars(text),
    size_bytes: countBytes(text),
    digest: digestText(text),
    head: text,
  };
}

function shorten(cut: StoredCut, head_chars: number): StoredCut {
  return { ...cut, head: sliceChars(cut.head, 0, head_chars) };
}
