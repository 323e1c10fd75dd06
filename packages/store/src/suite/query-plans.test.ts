/** SQLite's query plans for reads: rows are looked up by key, never by scanning a table. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { requireQuery } from "@rungs/evidence";
import { engines } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

const LARGE_TABLES = [
  "records",
  "chunks",
  "texts",
  "blocks",
  "scalars",
  "items",
  "threads",
  "changes",
  "blob_refs",
  "dead",
  "runs",
];

test("R25 R51 no read scans a whole table", async () => {
  const place = await engines.sqlite();
  const statements = new Set<string>();
  const stopListening = listenToStatements(statements);
  try {
    const store = await place.open();
    await createOwner(store);
    await ingest(store, [
      message("a", {
        subject: "word",
        label: "talk",
        body: "long text ".repeat(3_000),
        sent_at: "2026-01-01T00:00:00Z",
        payload: { t: "y ".repeat(9_000) },
      }),
    ]);
    statements.clear();
    await readEverything(store);
    await store.close();
    stopListening();
    // The audit journal is a separate database.
    const reads = [...statements].filter(
      (one) => /^\s*(SELECT|WITH)/i.test(one) && !/ FROM notes /.test(one),
    );
    assert.ok(reads.length > 20, `${reads.length} statements`);
    const database = new DatabaseSync(place.address);
    for (const statement of reads) assertNoScan(database, statement);
    database.close();
  } finally {
    stopListening();
    await place.remove();
  }
});

test("R25 a page of a time range reads the rows of the range, in order", async () => {
  const filters = [
    { field: "sent_at", op: ">=" as const, value: "2026-01-01" },
    { field: "sent_at", op: "<" as const, value: "2026-02-01" },
  ];
  const where = { connection_id: "mail", stream: "messages", order: "desc" as const, limit: 5, filters };
  const plan = await explainRead(/r\.sort_key IS NOT NULL/, async (store) => {
    assert.equal((await store.listRecords(scopeOver("messages"), where)).records.length, 1);
  });
  assert.deepEqual(plan, [
    "SEARCH r USING INDEX records_by_sort (owner=? AND part=? AND sort_key>? AND sort_key<?)",
  ]);
});

test("R56 a round of a long list reads only the blocks of that round, without a sort", async () => {
  const plan = await explainRead(/SELECT body FROM[\s\S]* blocks /, async (store) => {
    await store.search(scopeOver("messages"), { query: requireQuery("word"), limit: 5 });
  });
  assert.ok(plan.length > 0);
  assert.deepEqual(
    plan.filter((step) => !/^SEARCH blocks USING|SCALAR SUBQUERY/.test(step)),
    [],
  );
});

/** The plan of the one statement of a read that looks like a pattern. */
async function explainRead(pattern: RegExp, read: (store: Store) => Promise<void>): Promise<string[]> {
  const place = await engines.sqlite();
  const statements = new Set<string>();
  const stopListening = listenToStatements(statements);
  try {
    const store = await place.open();
    await createOwner(store);
    await ingest(store, [message("a", { subject: "word", sent_at: "2026-01-01T00:00:00Z" })]);
    statements.clear();
    await read(store);
    await store.close();
    stopListening();
    const [statement = ""] = [...statements].filter((one) => pattern.test(one));
    const database = new DatabaseSync(place.address);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement.replaceAll(/\$\d+/g, "NULL")}`).all();
    database.close();
    return plan.map(({ detail }) => String(detail));
  } finally {
    stopListening();
    await place.remove();
  }
}

/** Every read of the port, with and without limits, so that each statement occurs in each of its forms. */
async function readEverything(store: Store): Promise<void> {
  const at = { connection_id: "mail", stream: "messages" };
  for (const limits of [{}, { time: { since_ms: 0, until_ms: 9e12 } }, { record_ids: ["a", "b"] }]) {
    const scope = scopeOver("messages", limits);
    await store.getRecord(scope, refOf("a"));
    await store.locate(scope, "messages", "a");
    await store.readThread(scope, refOf("a"), { before: 3, after: 3 });
    for (const path of ["body", "subject", "payload.t"]) {
      await store.describeField(scope, refOf("a"), path);
      await store.readField(scope, refOf("a"), path, { start: 10, end: 5_000 });
      for (const q of ["text", '"long text"', "te*", "absent"]) {
        await store.findInField(scope, refOf("a"), path, requireQuery(q), 4_000);
      }
    }
    for (const q of ["text", '"long text"', "lon*", "word text"])
      await store.search(scope, { query: requireQuery(q), limit: 5 });
    for (const order of ["asc", "desc"] as const) {
      for (const order_by of [undefined, "label"]) {
        const page = { ...at, order, order_by, limit: 5 };
        await store.listRecords(scope, page);
        await store.listRecords(scope, { ...page, after: { sort: "BWE", record_id: "0" } });
        await store.listRecords(scope, { ...page, after: { sort: null, record_id: "0" } });
        await store.listRecords(scope, { ...page, filters: [{ field: "label", op: "=", value: "x" }] });
      }
    }
    await store.listChanges(scope, { ...at, since: 0, limit: 5 });
    await store.describeStreams(scope);
    await store.describeSizes(scope);
    await store.describeBlob(scope, "0".repeat(64));
    await store.aggregate(scope, { ...at, metric: "count", time_bucket: "day", limit: 5 });
    await store.aggregate(scope, { ...at, metric: "sum", field: "amount", group_by: "label", limit: 5 });
  }
}

test("no write scans all rows of an owner for a document", async () => {
  const place = await engines.sqlite();
  const statements = new Set<string>();
  const stopListening = listenToStatements(statements);
  try {
    const store = await place.open();
    await createOwner(store);
    await ingest(store, [message("a", { subject: "word", code: "c1", label: "talk" })]);
    await ingest(store, [message("a", { subject: "other", code: "c2", body: "long text ".repeat(3_000) })]);
    await ingest(store, [message("b", { subject: "word" })]);
    await store.deleteRecord("me", "mail", "messages", "a");
    await store.deleteConnection("me", "mail");
    await store.close();
    stopListening();
    const database = new DatabaseSync(place.address);
    const deletes = [...statements].filter((one) => /^\s*DELETE/i.test(one) && /\bdoc\b/.test(one));
    assert.ok(deletes.length > 6, `${deletes.length} statements`);
    for (const statement of deletes) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement.replaceAll(/\$\d+/g, "NULL")}`).all();
      for (const { detail } of plan)
        assert.doesNotMatch(String(detail), /^SCAN (?!json_each)|\(owner=\?\)$/, statement);
    }
    database.close();
  } finally {
    stopListening();
    await place.remove();
  }
});

/** Collects the statements prepared on any connection, until the returned function is called. */
function listenToStatements(statements: Set<string>): () => void {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...args: Parameters<typeof prepare>) {
    statements.add(args[0]);
    return prepare.apply(this, args);
  };
  return () => {
    DatabaseSync.prototype.prepare = prepare;
  };
}

interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** Asserts that no large table is scanned, nor a whole stream or field of it once per row of another table. */
function assertNoScan(database: DatabaseSync, statement: string): void {
  const names = namesOfLargeTables(statement);
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all() as unknown as Step[];
  const loops = steps.filter(({ detail }) => names.has(/^(?:SCAN|SEARCH) (\w+)/.exec(detail)?.[1] ?? ""));
  for (const loop of loops) {
    const where = `${loop.detail}\nin ${statement}`;
    assert.match(loop.detail, /^SEARCH .*\(owner=\? AND /, where);
    const outer = loops.find(({ parent }) => parent === loop.parent);
    const isInner = outer !== loop || isCorrelated(steps, loop);
    if (isInner) assert.match(loop.detail, /\b(doc|record_id|run|thread)=\?/, where);
  }
}

/** The aliases of the large tables in a statement. */
function namesOfLargeTables(statement: string): Set<string> {
  const names = new Set(LARGE_TABLES);
  for (const [, table, alias] of statement.matchAll(/\b(\w+)(?:\s+AS)?\s+(\w{1,2})\b/gi)) {
    if (LARGE_TABLES.includes(table as string)) names.add(alias as string);
  }
  return names;
}

/** Whether a step repeats for each row of an enclosing statement. */
function isCorrelated(steps: readonly Step[], { parent }: Step): boolean {
  return steps.some(({ id, detail }) => id === parent && detail.startsWith("CORRELATED"));
}
