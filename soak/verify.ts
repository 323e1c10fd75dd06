/**
 * Verifies after the faults that the database holds every acknowledged record once, and that the index finds exactly
 * these.
 */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import { COMMON, createNote, numberOf, STREAM, wordFor } from "./notes.ts";
import type { Place } from "./places.ts";
import { runProgram } from "./program.ts";
import type { CONNECTION, IMPORTS } from "./world.ts";

const FIELDS = ["id", "title", "body", "written_at"];
const PAGE = 500;

/** The expected content of each connection: the number of each key's note. */
export type Expected = Readonly<Record<typeof CONNECTION | typeof IMPORTS, ReadonlyMap<string, number>>>;

/** Checks everything and counts the records. */
export async function verifyPlace(place: Place, expected: Expected): Promise<number> {
  await requireHealthy(place);
  const store = await place.open();
  try {
    const [owner_id = ""] = await store.listOwners();
    assert.deepEqual(await store.check(owner_id), []);
    let count = 0;
    for (const [connection_id, notes] of Object.entries(expected)) {
      const scope = { owner_id, streams: [{ connection_id, stream: STREAM, fields: FIELDS }] };
      assert.deepEqual(await listStored(store, scope), new Map([...notes].sort(byKey)), connection_id);
      await requireFound(store, scope, notes);
      count += notes.size;
    }
    return count;
  } finally {
    await store.close();
  }
}

/** Asserts that `rungs doctor` finds no problem. */
async function requireHealthy({ address }: Pick<Place, "address">): Promise<void> {
  const { code, out, err } = await runProgram(["doctor", "--json", "--database", address]);
  assert.equal(code, 0, `${out}${err}`);
}

type Scope = Parameters<Store["search"]>[0];

const byKey = ([a]: readonly [string, number], [b]: readonly [string, number]) => (a < b ? -1 : 1);

/** Every record of a connection, each with its whole text. */
async function listStored(store: Store, scope: Scope): Promise<Map<string, number>> {
  const [{ connection_id = "" } = {}] = scope.streams;
  const stored: [string, number][] = [];
  let after: Parameters<Store["listRecords"]>[1]["after"];
  do {
    const page = await store.listRecords(scope, {
      connection_id,
      stream: STREAM,
      order: "asc",
      limit: PAGE,
      after,
    });
    for (const { record_id, data } of page.records) {
      const number = numberOf(data);
      const { body } = createNote(record_id, number).data as { body: string };
      const ref = { connection_id, stream: STREAM, record_id };
      const slice = await store.readField(scope, ref, "body", { start: 0, end: body.length });
      assert.deepEqual([slice?.text, slice?.size_chars], [body, body.length], record_id);
      stored.push([record_id, number]);
    }
    after = page.next;
  } while (after);
  assert.equal(new Set(stored.map(([key]) => key)).size, stored.length, "a key is there twice");
  return new Map(stored.sort(byKey));
}

/** The unique word of each note finds only that note, and the common word finds all notes. */
async function requireFound(store: Store, scope: Scope, notes: ReadonlyMap<string, number>): Promise<void> {
  const search = (word: string) => store.search(scope, { query: requireQuery(word), limit: 2 });
  assert.equal((await search(COMMON)).count, notes.size);
  for (const [key, number] of notes) {
    const { hits, count } = await search(wordFor(number));
    assert.deepEqual([count, hits[0]?.record_id], [1, key], `the word of ${key}`);
  }
}
