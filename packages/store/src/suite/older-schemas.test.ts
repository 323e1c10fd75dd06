/** Databases of older versions: `schemas/` has the original statements of each schema version. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import pg from "pg";
import { engines, type Place } from "../../../../testing/engines.ts";
import { SCHEMA_VERSION } from "../schema.ts";

const OLDER = Array.from({ length: SCHEMA_VERSION - 1 }, (_, at) => at + 1);

for (const create of Object.values(engines)) {
  for (const version of OLDER) {
    test(`a database of schema ${version} has every table, column and index of a new one (${create.name})`, async () => {
      const [old, fresh] = [await create(), await create()];
      try {
        const file = new URL(`./schemas/${version}.${old.engine}.sql`, import.meta.url);
        await run(old, readFileSync(file, "utf8"));
        for (const place of [old, fresh]) await (await place.open()).close();
        assert.deepEqual(await describe(old), await describe(fresh));
        const store = await old.open();
        await store.putOwner("me");
        await store.putState("me", { kind: "k", id: "i", value: 1 });
        assert.equal((await store.getState("me", "k", "i"))?.value, 1);
        await store.close();
      } finally {
        await old.remove();
        await fresh.remove();
      }
    });
  }
}

async function run({ engine, address }: Place, statements: string): Promise<unknown[]> {
  if (engine === "sqlite") {
    const database = new DatabaseSync(address);
    try {
      if (statements.startsWith("SELECT")) return database.prepare(statements).all();
      database.exec(statements);
      return [];
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(statements)).rows;
  } finally {
    await client.end();
  }
}

async function describe(place: Place): Promise<unknown[]> {
  const columns = {
    sqlite: `SELECT m.type, m.tbl_name, m.name, c.name AS part, c.type AS of, c."notnull" AS needed
             FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c ORDER BY 1, 2, 3, 4`,
    postgres: `SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
               WHERE table_schema = 'public' ORDER BY 1, 2`,
  };
  const indexes = {
    sqlite: "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY 1",
    postgres: "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
  };
  return [
    ...(await run(place, columns[place.engine])),
    ...(await run(place, indexes[place.engine])).map((row) => ({ ...(row as object) })),
  ];
}
