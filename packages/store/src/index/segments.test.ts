/** Index segments in isolation: however written, split and merged, a reader finds the same as in plain lists. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listTerms } from "@rungs/evidence";
import fc from "fast-check";
import { type Block, type BlockReader, compareBytes, type IndexSegment } from "./blocks.ts";
import { SegmentBuilder } from "./builder.ts";
import { ColumnCache, ColumnReader } from "./column-reader.ts";
import { DocSet } from "./doc-set.ts";
import { ColumnKind, compareTerms } from "./keys.ts";
import { mergeSegmentBlocks } from "./merge.ts";
import { IndexReader } from "./reader.ts";

interface TestDoc {
  readonly doc: number;
  readonly time_ms: number | null;
  readonly tie: number;
  /** The pieces of each field; some end a segment, even in the middle of the document. */
  readonly fields: readonly (readonly { readonly text: string; readonly spill: boolean }[])[];
}

interface TestSegment extends IndexSegment {
  readonly blocks: readonly Block[];
}

const words = ["a", "an", "ant", "b", "bee", "東京", "京都", "😀", "zebra", "the"];
const piece = fc.record({
  text: fc.oneof(
    fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((some) => some.join(" ")),
    fc
      .tuple(fc.constantFrom(...words), fc.integer({ min: 1, max: 700 }))
      .map(([word, count]) => `${word} `.repeat(count)),
  ),
  spill: fc.nat(9).map((dice) => dice === 0),
});
const docs = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.constant(1), fc.nat(300)),
      time_ms: fc.oneof(fc.constant(null), fc.integer({ min: -4e15, max: 4e15 })),
      tie: fc.nat(0xffffffff),
      fields: fc.array(fc.array(piece, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((all) => {
    let doc = 0;
    return all.map(({ gap, ...rest }): TestDoc => {
      doc += gap + 1;
      return { doc, ...rest };
    });
  });
const merges = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 2, max: 9 })), { maxLength: 6 });
const dice = fc.array(fc.nat(4), { minLength: 40, maxLength: 40 });

test("R11 however segments are split and merged, a reader finds every posting, position and number", async () => {
  await fc.assert(
    fc.asyncProperty(docs, merges, dice, async (all, some, gone) => {
      let segments = await write(all);
      let left = all;
      for (const [at, count] of some) {
        const dead = left.filter((_, number) => gone[number % gone.length] === 0).map(({ doc }) => doc);
        const from = at % segments.length;
        const { merged, others } = await merge(segments, from, Math.min(segments.length, from + count), dead);
        segments = [...others, merged].sort((a, b) => a.first_doc - b.first_doc);
        left = left.filter(
          ({ doc }) => !dead.includes(doc) || doc < merged.first_doc || doc > merged.last_doc,
        );
      }
      for (const segment of segments) assertOrdered(segment.blocks);
      await assertSame(segments, left);
    }),
    { numRuns: 150 },
  );
});

test("R11 a document in many segments, between others with the same words, merges into one", async () => {
  const text = (count: number) => [{ text: "the ".repeat(count), spill: false }];
  for (const before of [498, 500, 502, 504, 506, 508, 510]) {
    const all: TestDoc[] = Array.from({ length: before }, (_, at) => ({
      doc: at + 1,
      time_ms: at,
      tie: at,
      fields: [text(2)],
    }));
    const long = Array.from({ length: 12 }, () => ({ text: "the ".repeat(300), spill: true }));
    all.push({ doc: before + 1, time_ms: 1, tie: 1, fields: [long] });
    all.push(
      ...Array.from({ length: 600 }, (_, at) => ({
        doc: before + 2 + at,
        time_ms: at,
        tie: at,
        fields: [text(2)],
      })),
    );
    const segments = await write(all);
    const { merged } = await merge(segments, 0, segments.length, []);
    assertOrdered(merged.blocks);
    await assertSame([merged], all);
  }
});

async function write(all: readonly TestDoc[]): Promise<TestSegment[]> {
  const segments: TestSegment[] = [];
  const builder = new SegmentBuilder();
  const flush = async () => {
    if (builder.isEmpty) return;
    const blocks: Block[] = [];
    const built = await builder.write(async (some) => void blocks.push(...some));
    if (blocks.length > 0) segments.push({ id: segments.length + 1, ...built, blocks });
  };
  for (const { doc, time_ms, tie, fields } of all) {
    builder.addDoc({ doc, time_ms, tie });
    for (const [field, pieces] of fields.entries()) {
      let position = 0;
      for (const { text, spill } of pieces) {
        position = builder.addText(doc, field, text, position) + 1;
        if (spill) await flush();
      }
    }
  }
  await flush();
  return segments;
}

/** Merges segments `from` to `to`, and adjacent ones that share a document with them. */
async function merge(
  segments: readonly TestSegment[],
  from: number,
  to: number,
  dead: readonly number[],
): Promise<{ merged: TestSegment; others: readonly TestSegment[] }> {
  let [start, end] = [from, to];
  while (start > 0 && (segments[start - 1]?.last_doc ?? 0) >= (segments[start]?.first_doc ?? 0)) start -= 1;
  while (end < segments.length && (segments[end - 1]?.last_doc ?? 0) >= (segments[end]?.first_doc ?? 0))
    end += 1;
  const chosen = segments.slice(start, end);
  const blocks: Block[] = [];
  const feeds = chosen.map((segment) => {
    const rest = [...segment.blocks];
    return async () => rest.splice(0, 3);
  });
  const first_doc = Math.min(...chosen.map((segment) => segment.first_doc));
  const last_doc = Math.max(...chosen.map((segment) => segment.last_doc));
  const gone = dead.filter((doc) => doc >= first_doc && doc <= last_doc);
  await mergeSegmentBlocks(feeds, gone, async (some) => void blocks.push(...some));
  const id = Math.max(...segments.map((one) => one.id)) + 1;
  return {
    merged: { id, first_doc, last_doc, blocks },
    others: [...segments.slice(0, start), ...segments.slice(end)],
  };
}

/** Blocks in memory, read as the engines do. */
function readerOf(segments: readonly TestSegment[]): BlockReader {
  const range = ({ segment, from, to }: { segment: number; from: Uint8Array; to: Uint8Array }) => {
    const blocks = segments.find((one) => one.id === segment)?.blocks ?? [];
    const start = blocks.findLastIndex(({ first_key }) => compare(first_key, from) <= 0);
    return blocks
      .filter(
        ({ first_key }, at) => at === start || (compare(first_key, from) > 0 && compare(first_key, to) < 0),
      )
      .map(({ body }) => body);
  };
  return { ranges: async (ranges, limit) => ranges.map((one) => range(one).slice(0, limit)) };
}

function compare(a: Uint8Array, b: Uint8Array): number {
  return compareBytes(a, a.length, b, b.length);
}

/** Asserts that blocks have unique first keys, in order: they are rows under that key. */
function assertOrdered(blocks: readonly Block[]): void {
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    if (before) assert.ok(compare(before.first_key, block.first_key) < 0, "keys rise");
  }
}

async function assertColumns(
  columns: ColumnReader,
  numbers: Uint32Array,
  all: readonly TestDoc[],
): Promise<void> {
  const times = await columns.times(numbers);
  const ties = await columns.column(ColumnKind.tie, 0, numbers);
  const timeOf = new Map<number, number>();
  await columns.eachTime((doc, time_ms) => timeOf.set(doc, time_ms));
  for (const [at, { doc, time_ms, tie }] of all.entries()) {
    const time = times[at] as number;
    assert.equal(Number.isNaN(time) ? null : time, time_ms);
    assert.equal(timeOf.get(doc) ?? null, time_ms);
    assert.equal(ties[at], tie);
  }
  const some = numbers.filter((_, at) => at % 20 === 3);
  assert.deepEqual(
    [...(await columns.column(ColumnKind.tie, 0, some))],
    all.filter((_, at) => at % 20 === 3).map(({ tie }) => tie),
  );
  for (let field = 0; field < 4; field += 1) {
    const lengths = await columns.column(ColumnKind.length, field, numbers);
    for (const [at, { fields }] of all.entries())
      assert.equal(lengths[at] || 0, placesOf(fields[field] ?? []).length);
  }
}

async function assertSame(segments: readonly TestSegment[], all: readonly TestDoc[]): Promise<void> {
  const blocks = readerOf(segments);
  const reader = new IndexReader(segments, blocks);
  const numbers = Uint32Array.from(all, ({ doc }) => doc);
  // By lookup, from the cache, and with an undersized cache: always the same.
  for (const cache of [new ColumnCache(), new ColumnCache(64)]) {
    for (let round = 0; round < 3; round += 1)
      await assertColumns(new ColumnReader(1, segments, blocks, cache), numbers, all);
  }
  for (let field = 0; field < 4; field += 1) {
    const positionsOf = all.map(({ fields }) => placesOf(fields[field] ?? []));
    for (const term of [...words, "bees", "京"]) {
      const wanted = positionsOf.map((places) =>
        places.filter((place) => place.term === term).map(({ position }) => position),
      );
      const having = all.filter((_, at) => (wanted[at] as number[]).length > 0).map(({ doc }) => doc);
      await assertPostings(segments, [term], field, all, wanted);
      const { starts, positions } = await reader.positions(term, field, Uint32Array.from(having));
      const lists = having.map((_, at) => [...positions.subarray(starts[at], starts[at + 1])]);
      assert.deepEqual(
        lists,
        wanted.filter(({ length }) => length > 0),
        term,
      );
    }
    for (const prefix of ["a", "an", "東", "z"]) {
      const [terms = []] = await reader.terms([prefix], { fields: new Set([field]) });
      const written = positionsOf.flat().map(({ term }) => term);
      assert.deepEqual(
        terms.filter((term) => written.includes(term)),
        [...new Set(written)].filter((term) => term.startsWith(prefix)).sort(compareTerms),
      );
      const wanted = positionsOf.map((places) => places.filter(({ term }) => term.startsWith(prefix)));
      await assertPostings(segments, terms, field, all, wanted);
    }
  }
}

/** Asserts the documents of lists and their frequencies: all of them, and those of every third document alone. */
async function assertPostings(
  segments: readonly TestSegment[],
  terms: readonly string[],
  field: number,
  all: readonly TestDoc[],
  wanted: readonly (readonly unknown[])[],
): Promise<void> {
  const thirds = all.filter((_, at) => at % 3 === 1).map(({ doc }) => doc);
  for (const filter of [undefined, DocSet.of(thirds)]) {
    const reader = new IndexReader(segments, readerOf(segments), filter);
    const found = new DocSet();
    const numbers = Uint32Array.from(filter ? thirds : all.map(({ doc }) => doc));
    const expected = all
      .map(({ doc }, at) => ({ doc, count: (wanted[at] as unknown[]).length }))
      .filter(({ doc }) => filter?.has(doc) ?? true);
    const lists = terms.map((term) => ({ term, field, docs: found }));
    // Not yet in memory, then in memory.
    for (let round = 0; round < 2; round += 1) {
      const sums = new Float64Array(numbers.length);
      for (const cursor of await reader.cursors(lists, numbers)) cursor.addTo(sums, numbers, 1);
      assert.deepEqual(
        [...sums],
        expected.map(({ count }) => count),
      );
      await reader.collect(lists);
    }
    assert.deepEqual(
      [...found.list()],
      expected.filter(({ count }) => count > 0).map(({ doc }) => doc),
    );
  }
}

/** Every token of a field with its position; pieces are one position apart. */
function placesOf(pieces: readonly { readonly text: string }[]): { term: string; position: number }[] {
  let position = 0;
  return pieces.flatMap(({ text }) => {
    const places = listTerms(text).map(({ term }) => ({ term, position: position++ }));
    position += 1;
    return places;
  });
}
