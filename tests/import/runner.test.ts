import assert from "node:assert/strict";
import { type ImportedItem, REJECTIONS_MAX } from "@rungs/contract";
import { declare, shapes } from "@rungs/importers";
import { type ImportTarget, importItems, putConnection } from "@rungs/server";
import type { Store } from "@rungs/store";
import { testOnEachEngine } from "../../testing/engines.ts";
import { digestContents } from "./digest.ts";

const manifest = declare({
  connector: "runner-test",
  name: "Test",
  version: "1",
  streams: [
    {
      name: "notes",
      label: "Notes",
      searched: ["text"],
      properties: { id: shapes.text, text: shapes.body },
    },
  ],
});

/** Notes 1 to `count`; numbers in `bad` are rejected by the importer, those in `unfit` by the store. */
function read(count: number, { bad = [] as number[], unfit = [] as number[], fails_at = 0 } = {}) {
  const seen: number[] = [];
  const items = async function* (resume: string | undefined): AsyncGenerator<ImportedItem> {
    for (let number = Number(resume ?? 0) + 1; number <= count; number += 1) {
      seen.push(number);
      if (number === fails_at) throw new Error("the disk broke");
      const common = { place: `note ${number}`, checkpoint: String(number) };
      if (bad.includes(number)) yield { kind: "rejected", reason: "It is torn.", ...common };
      else {
        const text = unfit.includes(number) ? number : `text of ${number}`;
        yield {
          kind: "record",
          stream: "notes",
          key: `n${number}`,
          data: { id: `n${number}`, text },
          ...common,
        };
      }
    }
  };
  return { items, seen };
}

async function prepare(store: Store, more: Partial<ImportTarget> = {}): Promise<ImportTarget> {
  const parts = { store, owner_id: "me", now: Date.now };
  await store.putOwner("me");
  await putConnection(parts, "notes", manifest(), undefined);
  return { ...parts, connection_id: "notes", identity: "files", ...more };
}

testOnEachEngine("items are stored; running the import again changes nothing", async ({ store }) => {
  const target = await prepare(store);
  const options = { bad: [3], unfit: [5] };
  const { tally, is_finished, is_resumed } = await importItems(read(1200, options).items, target);
  assert.deepEqual([tally.added, tally.rejected, is_finished, is_resumed], [1198, 2, true, false]);
  assert.deepEqual(
    tally.rejections.map(({ place, code, param }) => [place, code, param]),
    [
      ["note 3", "item_unreadable", undefined],
      ["note 5", "invalid_record", "text"],
    ],
  );
  const before = await digestContents(store);
  const again = await importItems(read(1200, options).items, target);
  assert.deepEqual([again.tally.added, again.tally.changed, again.tally.unchanged], [0, 0, 1198]);
  assert.deepEqual(await digestContents(store), before);
  assert.deepEqual(await store.listState("me", "import"), []);
});

testOnEachEngine(
  "a stopped import writes its last batch and resumes from there, with everything counted",
  async ({ store }) => {
    const stop = new AbortController();
    const first = read(1200, { bad: [10] });
    const onBatch = () => stop.abort();
    const stopped = await importItems(first.items, await prepare(store, { stop: stop.signal, onBatch }));
    assert.equal(stopped.is_finished, false);
    assert.ok(first.seen.length < 1200 && stopped.tally.added === first.seen.length - 1);

    const second = read(1200, { bad: [10] });
    const result = await importItems(second.items, await prepare(store));
    assert.equal(second.seen[0], first.seen.length + 1);
    assert.deepEqual([result.tally.added, result.tally.rejected], [1199, 1]);
    assert.deepEqual([result.is_resumed, result.is_finished], [true, true]);
  },
);

testOnEachEngine(
  "R75 an import that is stopped while an item is being read ends at once",
  async ({ store }) => {
    const stop = new AbortController();
    const first = read(10);
    const items = async function* (resume: string | undefined): AsyncGenerator<ImportedItem> {
      yield* first.items(resume);
      stop.abort();
      await new Promise(() => undefined);
    };
    const { tally, is_finished } = await importItems(items, await prepare(store, { stop: stop.signal }));
    assert.deepEqual([tally.added, is_finished], [10, false]);
    const rest = read(12);
    const resumed = await importItems(rest.items, await prepare(store));
    assert.deepEqual([rest.seen[0], resumed.tally.added], [11, 12]);
  },
);

testOnEachEngine(
  "an import with another identity or connection starts from the beginning",
  async ({ store }) => {
    const failing = read(1200, { fails_at: 700 });
    await assert.rejects(importItems(failing.items, await prepare(store)), /the disk broke/);
    const other = read(10);
    await importItems(other.items, await prepare(store, { identity: "other files" }));
    assert.equal(other.seen[0], 1);
  },
);

testOnEachEngine(
  "what was read before a failure is stored, and the next run goes on behind it",
  async ({ store }) => {
    await assert.rejects(
      importItems(read(1200, { fails_at: 700 }).items, await prepare(store)),
      /the disk broke/,
    );
    assert.equal((await digestContents(store)).records, 699);
    const rest = read(1200);
    const { tally } = await importItems(rest.items, await prepare(store));
    assert.deepEqual([rest.seen[0], tally.added], [700, 1200]);
  },
);

testOnEachEngine(
  "whoever asks hears of every rejected item, those of an earlier run too",
  async ({ store }) => {
    const few = { bad: [1, 2] };
    const many = { bad: Array.from({ length: 600 }, (_, at) => at + 1) };
    for (const [options, from] of [
      [few, 700],
      [many, 1],
    ] as const) {
      const identity = JSON.stringify(options);
      const failing = read(1200, { ...options, fails_at: 700 });
      await assert.rejects(importItems(failing.items, await prepare(store, { identity })));
      const heard: string[] = [];
      const onRejected = ({ place }: { place: string }) => heard.push(place);
      const rest = read(1200, options);
      const { tally } = await importItems(rest.items, await prepare(store, { identity, onRejected }));
      assert.equal(rest.seen[0], from);
      assert.deepEqual(
        heard,
        options.bad.map((number) => `note ${number}`),
      );
      assert.equal(tally.rejected, options.bad.length);
      assert.ok(tally.rejections.length <= REJECTIONS_MAX);
    }
  },
);
