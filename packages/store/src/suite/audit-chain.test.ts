/** Detects changed or removed rows of the audit log; expired rows do not count as removed. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import pg from "pg";
import { engines, type Place, testOnEachEngine } from "../../../../testing/engines.ts";
import { OWNER } from "../../../../testing/store/world.ts";
import type { AuditEntry, Store } from "../store.ts";

testOnEachEngine("R59 two concurrent writers make one chain", async ({ store, place }) => {
  await store.putOwner(OWNER);
  const other = await place.open();
  try {
    const names = Array.from({ length: 300 }, (_, at) => `r${at}`);
    await Promise.all(
      names.map((name, at) => (at % 2 ? store : other).appendAudit(OWNER, [entry(name), entry(name)])),
    );
    for (const each of [store, other]) {
      const { row_count, problem } = await each.checkAudit(OWNER);
      assert.deepEqual([row_count, problem], [600, undefined]);
    }
  } finally {
    await other.close();
  }
});

const damages: Readonly<Record<string, string>> = {
  "a changed row": "UPDATE audit SET client_id = 'somebody else' WHERE request_id = 'r3'",
  "a removed row": "DELETE FROM audit WHERE request_id = 'r3'",
  "the first row removed": "DELETE FROM audit WHERE request_id = 'r0'",
  "the last row removed": "DELETE FROM audit WHERE request_id = 'r5'",
  "a row without its hash": "UPDATE audit SET hash = NULL WHERE request_id = 'r3'",
  "all rows removed": "DELETE FROM audit",
};

testOnEachEngine("R59 detects a changed or removed row of the audit log", async ({ store, place }) => {
  await store.putOwner(OWNER);
  for (let at = 0; at < 6; at += 1) await store.appendAudit(OWNER, [entry(`r${at}`)]);
  assert.equal((await store.checkAudit(OWNER)).problem, undefined);
  const saved = await run(place, "SELECT * FROM audit ORDER BY audit_id");
  for (const [name, statement] of Object.entries(damages)) {
    await run(place, statement);
    assert.match((await store.checkAudit(OWNER)).problem ?? "none", /changed|removed/, name);
    await run(place, "DELETE FROM audit");
    await insertAll(place, saved);
    assert.equal((await store.checkAudit(OWNER)).problem, undefined, `repaired ${name}`);
  }
});

testOnEachEngine(
  "R59 expired rows are deleted, and the rest of the chain still verifies",
  async ({ store }) => {
    await store.putOwner(OWNER);
    for (let at = 0; at < 5; at += 1) await store.appendAudit(OWNER, [entry(`old${at}`)]);
    assert.equal(await store.expireAudit(OWNER, Date.now() - 1_000), 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const between = Date.now();
    await store.appendAudit(OWNER, [entry("new0")]);
    assert.equal(await store.expireAudit(OWNER, between), 5);
    assert.deepEqual(await requestIds(store), ["new0"]);
    await store.appendAudit(OWNER, [entry("new1")]);
    assert.deepEqual(await shortCheck(store), [2, undefined]);
    assert.equal(await store.expireAudit(OWNER, Date.now() + 1_000), 2);
    await store.appendAudit(OWNER, [entry("new2")]);
    assert.deepEqual(await shortCheck(store), [1, undefined]);
  },
);

testOnEachEngine(
  "R59 the row of a stream is listed from its start until rows of its end replace it",
  async ({ store }) => {
    await store.putOwner(OWNER);
    await store.appendAudit(OWNER, [{ ...entry("a"), progress: "begun" }]);
    await store.appendAudit(OWNER, [{ ...entry("b"), progress: "begun" }]);
    const list = async () =>
      (await store.listAudit(OWNER, { limit: 9 })).map(
        ({ request_id, progress }) => `${request_id} ${progress}`,
      );
    assert.deepEqual(await list(), ["b begun", "a begun"]);
    await store.appendAudit(OWNER, [
      { ...entry("a"), progress: "ended" },
      { ...entry("a"), progress: "ended" },
    ]);
    assert.deepEqual(await list(), ["a ended", "a ended", "b begun"]);
  },
);

testOnEachEngine("text that no engine stores verbatim does not break the chain", async ({ store }) => {
  await store.putOwner(OWNER);
  await store.appendAudit(OWNER, [{ ...entry("odd"), record_id: "\ud800 half 😀", field: "" }]);
  assert.deepEqual(await shortCheck(store), [1, undefined]);
});

test("R59 keeps rows of an older version, including its journal's, and starts the chain after them (sqlite)", async () => {
  const place = await engines.sqlite();
  const file = new URL("./schemas/3.sqlite.sql", import.meta.url);
  const columns =
    "owner, audit_id, at, request_id, client_id, grant_id, operation, status, connection_id, stream, record_id, field, range_start, range_end, records, bytes";
  const values = (id: number, name: string) =>
    `VALUES (1, ${id}, '2026-01-01T00:00:00Z', '${name}', 'c', NULL, 'fetch', 200, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0)`;
  execute(
    place.address,
    `${readFileSync(file, "utf8")}; INSERT INTO owners VALUES (1, '${OWNER}', 1, 1, 1, 0); INSERT INTO audit (${columns}) ${values(7, "table")}`,
  );
  execute(
    `${place.address}-notes`,
    `CREATE TABLE notes (number INTEGER PRIMARY KEY AUTOINCREMENT, ${columns}); INSERT INTO notes (${columns}) ${values(8, "journal")}`,
  );
  const store = await place.open();
  try {
    assert.deepEqual(await requestIds(store), ["journal", "table"]);
    await store.appendAudit(OWNER, [entry("new")]);
    assert.deepEqual(await requestIds(store), ["new", "journal", "table"]);
    assert.deepEqual(await shortCheck(store), [2, undefined]);
  } finally {
    await store.close();
    await place.remove();
  }
});

async function shortCheck(store: Store): Promise<[number, string | undefined]> {
  const { row_count, problem } = await store.checkAudit(OWNER);
  return [row_count, problem];
}

async function requestIds(store: Store): Promise<string[]> {
  return (await store.listAudit(OWNER, { limit: 100 })).map(({ request_id }) => request_id);
}

function entry(request_id: string): AuditEntry {
  return {
    at: "2026-01-01T00:00:00Z",
    request_id,
    client_id: "c",
    operation: "fetch",
    status: 200,
    bytes: 0,
  };
}

function execute(file: string, statements: string): void {
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
}

/** Runs a statement past the store. */
async function run({ engine, address }: Place, statement: string, values: unknown[] = []): Promise<object[]> {
  if (engine === "sqlite") {
    const database = new DatabaseSync(address, { timeout: 5_000 });
    try {
      return database.prepare(statement.replace(/\$\d+/g, "?")).all(...(values as string[]));
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

async function insertAll(place: Place, rows: readonly object[]): Promise<void> {
  for (const row of rows) {
    const cells = Object.values(row);
    await run(place, `INSERT INTO audit VALUES (${cells.map((_, at) => `$${at + 1}`).join(", ")})`, cells);
  }
}
