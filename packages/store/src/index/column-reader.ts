/** Reads the numeric columns of documents: time, tie-break, field lengths. */
import type { BlockReader, IndexSegment } from "./blocks.ts";
import { ColumnKind, columnListKey } from "./keys.ts";
import { eachNumber, findLastDoc, type ListEntry } from "./list.ts";
import { eachNear, eachOfList, lowerBound, skipTo } from "./list-ranges.ts";

/** A block holds more than a thousand numbers. */
const SEEK_DOCS = 4_000;

export class ColumnReader {
  readonly #blocks: BlockReader;
  readonly #segments: readonly IndexSegment[];
  readonly #cache: ColumnCache;
  readonly #owner: number;

  constructor(owner: number, segments: readonly IndexSegment[], blocks: BlockReader, cache: ColumnCache) {
    this.#owner = owner;
    this.#segments = segments;
    this.#blocks = blocks;
    this.#cache = cache;
  }

  /** A number of each of `docs` (ascending); NaN where there is none. Numbers of several segments are added. */
  async column(column: number, field: number, docs: Uint32Array): Promise<Float64Array> {
    const values = new Float64Array(docs.length).fill(Number.NaN);
    const { held, sought } = await this.#ask(column, field, docs);
    for (const each of held) addHeld(each, docs, values);
    await this.#seek(sought, columnListKey(column, field), docs, values);
    return values;
  }

  /** The times of `docs` (ascending); NaN where there is none. */
  async times(docs: Uint32Array): Promise<Float64Array> {
    const times = await this.column(ColumnKind.time, 0, docs);
    const before = await this.column(ColumnKind.timeBefore, 0, docs);
    return times.map((time, at) => (Number.isNaN(time) ? -(before[at] as number) : time));
  }

  /** The times of all documents that have one. */
  async eachTime(visit: (doc: number, time_ms: number) => void): Promise<void> {
    for (const [column, sign] of [
      [ColumnKind.time, 1],
      [ColumnKind.timeBefore, -1],
    ] as const) {
      const { held, sought } = await this.#ask(column, 0);
      for (const { docs, values } of [...held, ...(await this.#load(sought, column, 0))]) {
        for (let at = 0; at < docs.length; at += 1) visit(docs[at] as number, sign * (values[at] as number));
      }
    }
  }

  /** The cached parts of a column, and the segments that need lookups. */
  async #ask(column: number, field: number, docs?: Uint32Array) {
    const held: HeldColumn[] = [];
    const worthy: IndexSegment[] = [];
    const sought: IndexSegment[] = [];
    for (const segment of this.#segments) {
      if (docs && !hasAny(docs, segment)) continue;
      const asked = this.#cache.ask(
        this.#keyOf(segment, column, field),
        segment.last_doc - segment.first_doc + 1,
      );
      if (asked === "seek") sought.push(segment);
      else if (asked === "hold") worthy.push(segment);
      else held.push(asked);
    }
    const loaded = await this.#load(worthy, column, field);
    for (const [at, each] of loaded.entries())
      this.#cache.hold(this.#keyOf(worthy[at] as IndexSegment, column, field), each);
    return { held: [...held, ...loaded], sought };
  }

  #keyOf({ id }: IndexSegment, column: number, field: number): string {
    return `${this.#owner} ${id} ${column} ${field}`;
  }

  async #load(segments: readonly IndexSegment[], column: number, field: number): Promise<HeldColumn[]> {
    const found = segments.map(() => ({ docs: [] as number[], values: [] as number[] }));
    if (segments.length > 0) {
      const source = { blocks: this.#blocks, segments };
      await eachOfList(source, columnListKey(column, field), (entry, at) =>
        eachNumber(entry, (doc, value) => {
          if (value === null) return;
          found[at]?.docs.push(doc);
          found[at]?.values.push(value);
        }),
      );
    }
    return found.map(({ docs, values }) => ({
      docs: Uint32Array.from(docs),
      values: Float64Array.from(values),
    }));
  }

  async #seek(
    segments: readonly IndexSegment[],
    list: Uint8Array,
    docs: Uint32Array,
    values: Float64Array,
  ): Promise<void> {
    if (segments.length === 0) return;
    let at = 0;
    const source = { blocks: this.#blocks, segments };
    await eachNear(source, [list], docs, SEEK_DOCS, (entry: ListEntry) => {
      while (at < docs.length && (docs[at] as number) < entry.firstDoc) at += 1;
      if (at === docs.length || (docs[at] as number) > findLastDoc(entry)) return;
      eachNumber(entry, (doc, value) => {
        while (at < docs.length && (docs[at] as number) < doc) at += 1;
        if (docs[at] === doc && value !== null) addUp(values, at, value);
      });
    });
  }
}

function hasAny(docs: Uint32Array, { first_doc, last_doc }: IndexSegment): boolean {
  const at = lowerBound(docs, first_doc);
  return at < docs.length && (docs[at] as number) <= last_doc;
}

/** Both lists are ascending. */
function addHeld(held: HeldColumn, docs: Uint32Array, values: Float64Array): void {
  let place = docs.length > 0 ? lowerBound(held.docs, docs[0] as number) : 0;
  for (let at = 0; at < docs.length; at += 1) {
    const doc = docs[at] as number;
    place = skipTo(held.docs, place, doc);
    for (let same = place; held.docs[same] === doc; same += 1) addUp(values, at, held.values[same] as number);
  }
}

function addUp(values: Float64Array, at: number, value: number): void {
  const before = values[at] as number;
  values[at] = before >= 0 ? before + value : value;
}

/** Caches columns that were read more than once. Segments are immutable, so entries never become stale. */

/** The numbers of a segment's documents, in document order. */
interface HeldColumn {
  readonly docs: Uint32Array;
  readonly values: Float64Array;
}

/** How to read a column: from the cache, by loading it into the cache, or by single lookups. */
type Asked = HeldColumn | "hold" | "seek";

const MAX_BYTES = 64 * 1024 ** 2;
const MAX_ASKED = 100_000;
/** A document number and a value. */
const DOC_BYTES = 12;

export class ColumnCache {
  readonly #max_bytes: number;
  readonly #held = new Map<string, HeldColumn>();
  readonly #asked = new Set<string>();
  #bytes = 0;

  constructor(max_bytes = MAX_BYTES) {
    this.#max_bytes = max_bytes;
  }

  /**
   * The first request for a column reads by lookup; the second loads the column into the cache. A column of so many
   * documents that it would fill the cache is always looked up.
   */
  ask(key: string, docs: number): Asked {
    if (docs * DOC_BYTES > this.#max_bytes / 2) return "seek";
    const held = this.#held.get(key);
    if (held) {
      this.#held.delete(key);
      this.#held.set(key, held);
      return held;
    }
    if (this.#asked.has(key)) return "hold";
    if (this.#asked.size >= MAX_ASKED) this.#asked.clear();
    this.#asked.add(key);
    return "seek";
  }

  /** Adds a column, and evicts the least recently used ones. */
  hold(key: string, column: HeldColumn): void {
    if (this.#held.has(key)) return;
    this.#held.set(key, column);
    this.#bytes += sizeOf(column);
    for (const [oldest, dropped] of this.#held) {
      if (this.#bytes <= this.#max_bytes) return;
      this.#held.delete(oldest);
      this.#asked.delete(oldest);
      this.#bytes -= sizeOf(dropped);
    }
  }
}

function sizeOf({ docs, values }: HeldColumn): number {
  return docs.byteLength + values.byteLength;
}
