/**
 * Small indexes in memory, of the records that a scope's conditions select where they are few. The partition's posting lists
 * have entries of the whole stream, and its rows of vectors the passages of neighbours: a narrow index has only the
 * selected records, so that a search takes time proportional to their number. Documents never change, so its content
 * stays valid; the selection filters out documents that left it.
 */
import type { ScopedContext } from "../catalog/scope-sql.ts";
import { Parameters } from "../database.ts";
import {
  type Block,
  type BlockReader,
  compareBytes,
  type IndexSegment,
  type KeyRange,
} from "../index/blocks.ts";
import { SegmentBuilder } from "../index/builder.ts";
import { computeTie, RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import { shapeRow } from "../rows/row-shape.ts";
import { readWhole } from "../upkeep/rebuild.ts";
import { readThroughDoc } from "../vectors/embedders.ts";
import type { VectorRow } from "../vectors/vector-rows.ts";
import type { WorkBudget } from "../work-budget.ts";
import { TextWriter } from "../write/text-writer.ts";
import { packRowsOf, type RowPlace } from "./scan-vectors.ts";

/** Up to this many records, the first search builds the index; beyond, the second. */
const BUILT_AT_ONCE = 256;
/** Records with more text than this are searched in the partition's index. */
const MAX_CHARS = 8_000_000;
const MAX_HELD_CHARS = 8 * MAX_CHARS;
/** With more parts, or a larger share of records that left the selection, the index is built again. */
const MAX_PARTS = 16;
const MAX_GONE_SHARE = 0.25;
const PAGE_RECORDS = 256;

/** The index of documents that were selected at the same time. */
interface Part {
  readonly docs: readonly number[];
  readonly size_chars: number;
  readonly segments: readonly HeldSegment[];
  vectors?: { readonly model: string; readonly through_doc: number; readonly rows: readonly VectorRow[] };
}

interface HeldSegment extends IndexSegment {
  readonly blocks: readonly Block[];
}

/**
 * The parts of an index; "asked": requested once, so that the next search builds it; "large": its records have too much
 * text.
 */
type State = readonly Part[] | "asked" | "large";

interface Held {
  /** The declaration that it was built under. */
  readonly shape: object;
  readonly state: State;
}

export class NarrowIndexes {
  readonly #held = new Map<string, Held>();
  /** Segment numbers are negative, so that no cache confuses them with stored ones. */
  #nextSegment = -1;

  /** The index of the selected documents; undefined if it is not built yet, or not worth its memory. */
  async find(context: ScopedContext, selected: readonly number[]): Promise<NarrowIndex | undefined> {
    const { owner, partition } = context;
    const { fields: _, ...limits } = partition.scope;
    const key = JSON.stringify([owner, partition.id, limits]);
    const held = this.#held.get(key);
    this.#held.delete(key);
    const known = held?.shape === partition.shape ? held.state : undefined;
    const state = await this.#extend(context, selected, known);
    this.#held.set(key, { shape: partition.shape, state });
    this.#evict();
    return typeof state === "string" ? undefined : new NarrowIndex(state);
  }

  async #extend(
    context: ScopedContext,
    selected: readonly number[],
    known: State | undefined,
  ): Promise<State> {
    if (known === "large") return known;
    if (known === undefined && selected.length > BUILT_AT_ONCE) return "asked";
    const kept = known === undefined || known === "asked" ? [] : keepCurrent(known, selected);
    const has = new Set(kept.flatMap(({ docs }) => docs));
    const added = selected.filter((doc) => !has.has(doc));
    if (added.length === 0) return kept;
    const size_chars = await countChars(context, added);
    if (size_chars + sumChars(kept) > MAX_CHARS) return "large";
    const segments = await buildSegments(context, added, () => this.#nextSegment--);
    return [...kept, { docs: added, size_chars, segments }];
  }

  /** Evicts the least recently used indexes. */
  #evict(): void {
    const sizeOf = ({ state }: Held) => (typeof state === "string" ? 1_000 : sumChars(state));
    let size = [...this.#held.values()].reduce((sum, held) => sum + sizeOf(held), 0);
    for (const [key, held] of this.#held) {
      if (size <= MAX_HELD_CHARS) return;
      this.#held.delete(key);
      size -= sizeOf(held);
    }
  }
}

/** The parts, if the documents that are missing come after theirs and few of theirs have left; none otherwise. */
function keepCurrent(parts: readonly Part[], selected: readonly number[]): readonly Part[] {
  const current = new Set(selected);
  const docs = parts.flatMap((part) => part.docs);
  const kept = docs.filter((doc) => current.has(doc));
  const last = docs.at(-1) ?? 0;
  const missing = selected.length - kept.length;
  const isBehind = missing === selected.filter((doc) => doc > last).length;
  const isWorn = docs.length - kept.length > docs.length * MAX_GONE_SHARE;
  return isBehind && !isWorn && (missing === 0 || parts.length < MAX_PARTS) ? parts : [];
}

function sumChars(parts: readonly Part[]): number {
  return parts.reduce((sum, { size_chars }) => sum + size_chars, 0);
}

export class NarrowIndex {
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  get segments(): readonly IndexSegment[] {
    return this.#parts.flatMap(({ segments }) => segments);
  }

  openBlocks(budget: WorkBudget | undefined): BlockReader {
    const bySegment = new Map(
      this.#parts.flatMap(({ segments }) => segments.map(({ id, blocks }) => [id, blocks])),
    );
    return {
      budget,
      ranges: async (ranges, limit) =>
        ranges.map((range) => listBlocks(bySegment.get(range.segment) ?? [], range, limit)),
    };
  }

  /** The rows of vectors of its documents. Rows up to the last embedded document are final. */
  async *readVectors(place: RowPlace, vectorBytes: number): AsyncGenerator<readonly VectorRow[]> {
    const { model } = place;
    const through_doc = await readThroughDoc(place, model);
    for (const part of this.#parts) {
      const { vectors, docs } = part;
      const isFinal =
        vectors?.model === model &&
        (vectors.through_doc === through_doc || vectors.through_doc >= (docs.at(-1) ?? 0));
      if (!isFinal)
        part.vectors = { model, through_doc, rows: await packRowsOf(place, new Set(docs), vectorBytes) };
      yield part.vectors?.rows ?? [];
    }
  }
}

/** The first `limit` blocks that may have keys of a range. */
function listBlocks(blocks: readonly Block[], { from, to }: KeyRange, limit?: number): Uint8Array[] {
  const isBefore = (at: number, key: Uint8Array) => {
    const { first_key } = blocks[at] as Block;
    return compareBytes(first_key, first_key.length, key, key.length) < 0;
  };
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle, from)) low = middle + 1;
    else high = middle;
  }
  const found: Uint8Array[] = [];
  for (
    let at = Math.max(0, low - 1);
    at < blocks.length && found.length < (limit ?? blocks.length);
    at += 1
  ) {
    if (at >= low && !isBefore(at, to)) break;
    found.push((blocks[at] as Block).body);
  }
  return found;
}

async function countChars(
  { sql, owner, partition }: ScopedContext,
  docs: readonly number[],
): Promise<number> {
  const { isAnyNumber } = sql.dialect;
  const [row] = await sql.all<{ size: number }>(
    `SELECT (SELECT COALESCE(SUM(LENGTH(r.data)), 0) FROM records r WHERE r.owner = $1 AND +r.part = $2 AND ${isAnyNumber("r.doc", "$3")})
          + (SELECT COALESCE(SUM(t.size_chars), 0) FROM texts t WHERE t.owner = $1 AND ${isAnyNumber("t.doc", "$3")}) AS size`,
    [owner, partition.id, docs],
  );
  return Number(row?.size ?? 0);
}

/** Indexes records as a write does, into memory. */
async function buildSegments(
  context: ScopedContext,
  docs: readonly number[],
  takeNumber: () => number,
): Promise<HeldSegment[]> {
  const { sql, owner, partition } = context;
  const builder = new SegmentBuilder();
  const segments: HeldSegment[] = [];
  const write = async () => {
    const blocks: Block[] = [];
    const { first_doc, last_doc } = await builder.write(async (some) => void blocks.push(...some));
    segments.push({ id: takeNumber(), first_doc, last_doc, blocks });
  };
  const texts = new TextWriter({
    owner,
    dialect: { ...sql.dialect, packChunk: (utf8) => utf8 },
    add: async () => {},
    flushTable: async () => {},
    getBuilder: () => builder,
    spill: async () => {
      if (builder.isFull) await write();
    },
  });
  for (let start = 0; start < docs.length; start += PAGE_RECORDS) {
    for (const row of await readRecords(context, docs.slice(start, start + PAGE_RECORDS))) {
      const data = await readWhole({ sql, owner }, row);
      const tie = computeTie(partition.connection_id, partition.stream, row.record_id);
      builder.addDoc({ doc: row.doc, time_ms: row.time_ms, tie });
      await texts.write(partition, row.doc, data, shapeRow(partition.shape, data).texts);
    }
  }
  if (!builder.isEmpty) await write();
  return segments;
}

interface IndexedRow extends RecordRow {
  time_ms: number | null;
}

function readRecords(
  { sql, owner, partition }: ScopedContext,
  docs: readonly number[],
): Promise<IndexedRow[]> {
  const parameters = new Parameters();
  const place = `r.owner = ${parameters.add(owner)} AND +r.part = ${parameters.add(partition.id)}`;
  return sql.all<IndexedRow>(
    `SELECT ${RECORD_COLUMNS}, r.time_ms FROM records r WHERE ${place} AND ${sql.dialect.isAnyNumber("r.doc", parameters.add(docs))} ORDER BY r.doc`,
    parameters.values,
  );
}
