import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../testing/random.ts";
import { ByteWriter } from "./blocks.ts";
import { ArrayRoom, DocSet } from "./doc-set.ts";
import { addDocs, createSkips, type ListEntry } from "./list.ts";
import { PostingCursor } from "./posting-cursor.ts";

test("R11 a cursor counts the same for any documents, in any batches, with and without skips", () => {
  const random = new Random(5);
  for (let round = 0; round < 60; round += 1) {
    const { entries, counts, last } = createList(random, random.int(1, 3_000));
    const asked = listSome(random, last, [0.9, 0.1, 0.003][round % 3] as number);
    const wanted = asked.map((doc) => 2 * (counts.get(doc) ?? 0));
    for (const withSkips of [false, true]) {
      const cursor = new PostingCursor(withSkips ? entries.map(addSkips) : entries);
      const found: number[] = [];
      for (let from = 0; from < asked.length; ) {
        const docs = Uint32Array.from(asked.slice(from, from + random.int(1, 400)));
        const sums = new Float64Array(docs.length);
        cursor.addTo(sums, docs, 2);
        found.push(...sums);
        from += docs.length;
      }
      assert.deepEqual(found, wanted, `round ${round}, ${withSkips}`);
    }
  }
});

test("R56 a cursor decodes only the postings of a long list near the documents", () => {
  const { entries, counts, last } = createList(new Random(6), 50_000);
  const asked = listSome(new Random(7), last, 0.001);
  const cursor = new PostingCursor(entries.map(addSkips));
  cursor.addTo(new Float64Array(asked.length), Uint32Array.from(asked), 1);
  assert.ok(cursor.decoded < 40 * asked.length, `${cursor.decoded} of ${counts.size} for ${asked.length}`);
});

/** Postings in entries of up to 1,000 bytes, as in segments. Some documents have several. */
function createList(random: Random, postings: number) {
  const counts = new Map<number, number>();
  const entries: ListEntry[] = [];
  let doc = random.int(0, 300);
  for (let left = postings; left > 0; ) {
    const items = new ByteWriter();
    const firstDoc = doc;
    for (let before = doc; left > 0 && items.length < 1_000; left -= 1) {
      const frequency = random.chance(0.5) ? 1 : random.int(2, random.chance(0.01) ? 9_000 : 9);
      items.varint((doc - before) * 2 + (frequency > 1 ? 1 : 0));
      if (frequency > 1) items.varint(frequency);
      counts.set(doc, (counts.get(doc) ?? 0) + frequency);
      before = doc;
      if (!random.chance(0.02)) doc += random.chance(0.02) ? random.int(1, 500) : 1;
    }
    const entry = new ByteWriter();
    entry.varint(Math.max(...counts.keys().filter((each) => each >= firstDoc)) - firstDoc);
    entry.copy(items.bytes, 0, items.length);
    entries.push({ firstDoc, body: entry.bytes, start: 0, end: entry.length });
  }
  return { entries, counts, last: doc };
}

/** What is before and after an entry. */
const OTHER_ENTRY = [3, 0xff, 0xff, 7, 2];

/** The entry as a read holds it: inside a block, with skips, which are filled in when its documents are read. */
function addSkips({ firstDoc, body, end }: ListEntry): ListEntry {
  const block = Uint8Array.of(...OTHER_ENTRY, ...body.subarray(0, end), ...OTHER_ENTRY);
  const start = OTHER_ENTRY.length;
  const skips = createSkips(end, new ArrayRoom(Uint32Array, 1_024));
  const held = { firstDoc, body: block, start, end: start + end, skips };
  addDocs(held, { docs: new DocSet() });
  return held;
}

/** A sample of the documents, and some past the last, ascending. */
function listSome(random: Random, last: number, share: number): number[] {
  return Array.from({ length: last + 50 }, (_, doc) => doc).filter(() => random.chance(share));
}
