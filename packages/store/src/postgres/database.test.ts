import assert from "node:assert/strict";
import { test } from "node:test";
import { engines } from "../../../../testing/engines.ts";
import type { Database } from "../database.ts";
import { createPostgresDatabase } from "./database.ts";
import { createPool } from "./pool.ts";

const OWNER = 0;
const secret = (name: string) => [OWNER, name, "value"];

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const place = await engines.postgres();
  await (await place.open()).close();
  // A single connection, so that the next statement sees any state that a failure left on it.
  const open = () => createPool(place.address, { max: 1 });
  const database = createPostgresDatabase({ owners: open(), audit: open(), upkeep: open() });
  try {
    await work(database);
  } finally {
    await database.close();
    await place.remove();
  }
}

function listSecrets(database: Database): Promise<{ name: string }[]> {
  return database.read(OWNER, (sql) => sql.all("SELECT name FROM secrets ORDER BY name"));
}

test("rows that the server refuses roll back their transaction, which throws their error", async () => {
  await withDatabase(async (database) => {
    await database.write(OWNER, (sql) => sql.insert("secrets", [secret("a")]));
    for (const ending of ["nothing", "insert", "run", "all"]) {
      const write = database.write(OWNER, async (sql) => {
        await sql.insert("secrets", [secret("b")]);
        await sql.insert("secrets", [secret("a")]);
        if (ending === "insert") await sql.insert("secrets", [secret("c"), secret("d")]);
        if (ending === "run") await sql.run("DELETE FROM secrets");
        if (ending === "all") await sql.all("SELECT name FROM secrets");
      });
      await assert.rejects(write, /duplicate key value violates unique constraint "secrets_pkey"/);
      assert.deepEqual(await listSecrets(database), [{ name: "a" }]);
    }
  });
});

test("an aborted transaction leaves no rows, and a usable connection", async () => {
  await withDatabase(async (database) => {
    const write = database.write(OWNER, async (sql) => {
      for (let number = 0; number < 100; number += 1) await sql.insert("secrets", [secret(`${number}`)]);
      throw new Error("given up");
    });
    await assert.rejects(write, /given up/);
    await assert.rejects(
      database.read(OWNER, (sql) => sql.all("SELECT 1 / 0")),
      /division by zero/,
    );
    await assert.rejects(
      database.peek(OWNER, (sql) => sql.all("SELECT 1 / 0")),
      /division by zero/,
    );
    assert.deepEqual(await listSecrets(database), []);
  });
});

test("an audit row that the server refuses is an error", async () => {
  await withDatabase(async (database) => {
    await assert.rejects(
      database.appendAudit(OWNER, [Array.from({ length: 16 }, () => null)]),
      /null value in column/,
    );
  });
});

test("rows beyond the socket's buffer all arrive, with their values at the time of the call", async () => {
  await withDatabase(async (database) => {
    const body = new Uint8Array(64 * 1024);
    await database.write(OWNER, async (sql) => {
      for (let start = 0; start < 200; start += 1) {
        body.fill(start);
        await sql.insert("blob_chunks", [[OWNER, 1, start, body]]);
      }
    });
    const rows = await database.read(OWNER, (sql) =>
      sql.all("SELECT start_byte, get_byte(body, 65535) AS last FROM blob_chunks ORDER BY start_byte"),
    );
    assert.deepEqual(
      rows.map(({ start_byte, last }) => [start_byte, last]),
      Array.from({ length: 200 }, (_, start) => [start, start]),
    );
  });
});
