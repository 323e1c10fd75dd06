/**
 * The cost of a read, as the rows and bytes read from the database, must not depend on the field's size. Every ceiling here is
 * far below the size of the long field, so a read of the whole value cannot pass.
 */
import assert from "node:assert/strict";
import type { ReadScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { createOwner, fieldsOf, ingest, message, OWNER, refOf } from "../../../../testing/store/world.ts";
import type { Store, StoredRef, Traffic } from "../store.ts";
import { createProse } from "./long-text.ts";
import { measureTraffic } from "./traffic.ts";

const KIB = 1_024;
const SMALL_CHARS = 64 * KIB;
const LARGE_CHARS = readSize("RUNGS_LARGE_FIELD_MIB") * KIB * KIB;
const WINDOW_CHARS = 4_096;
const MARKS = { firstmark: 0, "golden gate": 0.3, midmark: 0.5, "silver bridge": 0.7, lastmark: 1 };
const RARE = ["firstmark", "midmark", "lastmark", '"golden gate"', '"silver bridge"', "lastm*"];
const ABSENT = "absentword";
/** Words that occur some 100,000 times in the large field: their positions cost less than the text. */
const COMMON = ["the", '"of the"', "midmark the"];
const COMMON_PREFIX = "th*";
/** The large field is at least 128 times as long as the small one. */
const RARE_FACTOR = 10;
const COMMON_FACTOR = 40;

testOnEachEngine("R25 the cost of a read does not depend on the field's size", async ({ store, context }) => {
  await createOwner(store, { connections: ["small", "large"] });
  for (const [id, size] of [
    ["small", SMALL_CHARS],
    ["large", LARGE_CHARS],
  ] as const) {
    const body = createProse(size, MARKS);
    const payload = { text: body.slice(0, size / 4), list: body.slice(0, 20_000).split(" ") };
    const others = Array.from({ length: 20 }, (_, at) =>
      message(`o${at}`, { subject: "other", body: "other text" }),
    );
    await ingest(
      store,
      [...others.slice(10), message("field", { subject: "title", body, payload }), ...others.slice(10)],
      { connection_id: id },
    );
  }
  const small = new Reader(store, "small", SMALL_CHARS);
  const large = new Reader(store, "large", LARGE_CHARS);
  await small.window(0);
  await large.window(0);

  await context.test(
    "R25 a window anywhere in a small or a large field costs equally few rows and chunks",
    async () => {
      const costs = [];
      for (const reader of [small, large]) {
        for (const share of [0, 0.1, 0.5, 0.9, 1]) costs.push(await reader.window(share));
      }
      const rows = costs.map((cost) => cost.rows);
      assert.ok(Math.max(...rows) <= 3 && Math.max(...rows) - Math.min(...rows) <= 1, `rows ${rows}`);
      for (const { bytes } of costs) assertBelow(bytes, 4 * WINDOW_CHARS);
    },
  );

  await context.test("R25 R34 a window of large JSON costs a few chunks", async () => {
    for (const share of [0, 0.5, 1]) {
      const { rows, bytes } = await large.window(share, "payload");
      assert.ok(rows <= 3, `rows ${rows}`);
      assertBelow(bytes, 4 * WINDOW_CHARS);
    }
  });

  await context.test("R25 describing a field reads no chunks", async () => {
    for (const reader of [small, large]) {
      const { rows, bytes } = await reader.measure((scope, ref) => store.describeField(scope, ref, "body"));
      assert.ok(rows <= 2, `rows ${rows}`);
      assertBelow(bytes, 4 * KIB);
    }
  });

  await context.test("R25 a window around a word costs the word's postings and a few chunks", async () => {
    for (const q of [...RARE, ABSENT])
      await assertNear((reader) => reader.find(q), 128 * KIB, RARE_FACTOR, q);
    for (const q of COMMON) await assertNear((reader) => reader.find(q), 768 * KIB, COMMON_FACTOR, q);
    await assertNear((reader) => reader.find("the", 0.5), 768 * KIB, COMMON_FACTOR, "the, from the middle");
    await assertNear((reader) => reader.find(COMMON_PREFIX), 2 * KIB * KIB, COMMON_FACTOR, COMMON_PREFIX);
  });

  await context.test("R25 a search that hits the large field costs far less than the field", async () => {
    for (const q of RARE) await assertNear((reader) => reader.search(q), 512 * KIB, RARE_FACTOR, q);
    for (const q of COMMON) await assertNear((reader) => reader.search(q), 1_536 * KIB, COMMON_FACTOR, q);
    await assertNear((reader) => reader.search(COMMON_PREFIX), 4 * KIB * KIB, COMMON_FACTOR, COMMON_PREFIX);
  });

  await context.test(
    "R25 R63 a search for an absent word, with its near spellings, costs less than one for a present word",
    async () => {
      const [absent, present] = [await large.search(ABSENT), await large.search("midmark")];
      assertBelow(absent.bytes, Math.min(present.bytes, 256 * KIB), ABSENT);
    },
  );

  await context.test("R25 a record, a page, changes and counts do not read the long field", async () => {
    const at = { connection_id: "large", stream: "messages" };
    const reads: Readonly<Record<string, (scope: ReadScope, ref: StoredRef) => Promise<unknown>>> = {
      getRecord: (scope, ref) => store.getRecord(scope, ref),
      getFields: (scope, ref) => store.getRecord(scope, ref, ["body"]),
      listRecords: (scope) => store.listRecords(scope, { ...at, order: "desc", limit: 25 }),
      listChanges: (scope) => store.listChanges(scope, { ...at, since: 0, limit: 25 }),
      describeStreams: (scope) => store.describeStreams(scope),
      locate: (scope) => store.locate(scope, "messages", "field"),
      aggregate: (scope) => store.aggregate(scope, { ...at, metric: "count", limit: 10 }),
    };
    for (const [name, read] of Object.entries(reads))
      assertBelow((await large.measure(read)).bytes, 16 * KIB, name);
  });

  await context.test("R25 the costs stay the same after the index is merged", async () => {
    await store.tidy(OWNER);
    for (const q of [...RARE, ABSENT]) {
      await assertNear((reader) => reader.find(q), 128 * KIB, RARE_FACTOR, q);
      await assertNear((reader) => reader.search(q), 512 * KIB, RARE_FACTOR, q);
    }
    assertBelow((await large.window(0.7)).bytes, 4 * WINDOW_CHARS);
  });

  /** Asserts that a read of the large field costs less than a ceiling, and about as much as the small field. */
  async function assertNear(
    read: (reader: Reader) => Promise<Traffic>,
    ceiling: number,
    factor: number,
    what: string,
  ): Promise<void> {
    const [least, most] = [await read(small), await read(large)];
    assertBelow(most.bytes, ceiling, what);
    assertBelow(most.bytes, factor * least.bytes, what);
  }
});

/** Reads one record of one connection, and counts the traffic. */
class Reader {
  readonly #store: Store;
  readonly #scope: ReadScope;
  readonly #ref: StoredRef;
  readonly #size: number;

  constructor(store: Store, connection_id: string, size: number) {
    this.#store = store;
    this.#scope = {
      owner_id: OWNER,
      streams: [{ connection_id, stream: "messages", fields: fieldsOf("messages") }],
    };
    this.#ref = refOf("field", "messages", connection_id);
    this.#size = size;
  }

  measure(work: (scope: ReadScope, ref: StoredRef) => Promise<unknown>): Promise<Traffic> {
    return measureTraffic(this.#store, () => work(this.#scope, this.#ref));
  }

  /** A whole window that begins at a fraction of the field, or ends at its end. */
  window(share: number, path = "body"): Promise<Traffic> {
    return this.measure(async (scope, ref) => {
      const size = path === "body" ? this.#size : this.#size / 4;
      const start = Math.min(Math.floor(share * size), size - WINDOW_CHARS);
      const slice = await this.#store.readField(scope, ref, path, { start, end: start + WINDOW_CHARS });
      assert.equal(slice?.text.length, WINDOW_CHARS);
    });
  }

  find(q: string, share = 0): Promise<Traffic> {
    return this.measure(async (scope, ref) => {
      const match = await this.#store.findInField(
        scope,
        ref,
        "body",
        requireQuery(q),
        Math.floor(share * this.#size),
      );
      assert.equal(match.found, q !== ABSENT, q);
    });
  }

  search(q: string): Promise<Traffic> {
    return this.measure(async (scope) => {
      const page = await this.#store.search(scope, { query: requireQuery(q), limit: 10 });
      assert.equal(page.count, q === ABSENT ? 0 : 1, q);
      assert.equal(page.hits[0]?.proofs.length, q === ABSENT ? undefined : 1, q);
    });
  }
}

function assertBelow(bytes: number, ceiling: number, what = ""): void {
  assert.ok(bytes <= ceiling, `${what} read ${bytes} bytes, more than ${ceiling}`);
}
