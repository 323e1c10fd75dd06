/** Every key begins with the owner, so that PostgreSQL can be sharded by owner without a redesign. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type Place, testOnEachEngine } from "../../../../testing/engines.ts";
import { tables } from "../tables.ts";

/** A unique index. */
interface UniqueIndex {
  readonly table: string;
  readonly index: string;
  readonly first_column: string;
}

testOnEachEngine("every primary key and unique index begins with the owner", async ({ place }) => {
  const indexes = place.engine === "sqlite" ? readSqlite(place) : await readPostgres(place);
  for (const { table, index, first_column } of indexes)
    assert.equal(first_column, "owner", `${index} of ${table}`);
  const keyed = new Set(indexes.map(({ table }) => table));
  for (const table of Object.keys(tables)) assert.ok(keyed.has(table), `${table} has a key`);
});

testOnEachEngine("every table of the store has an owner", async () => {
  for (const [table, columns] of Object.entries(tables))
    assert.equal(Object.keys(columns)[0], "owner", table);
});

function readSqlite({ address }: Place): UniqueIndex[] {
  const database = new DatabaseSync(address);
  try {
    const rows = database
      .prepare(
        `SELECT m.name AS "table", i.name AS "index", c.name AS first_column
         FROM sqlite_master m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
         WHERE m.type = 'table' AND i."unique" = 1 AND c.seqno = 0
         UNION ALL
         SELECT m.name, 'primary key', c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND c.pk = 1`,
      )
      .all();
    return rows as unknown as UniqueIndex[];
  } finally {
    database.close();
  }
}

async function readPostgres({ address }: Place): Promise<UniqueIndex[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    const { rows } = await client.query<UniqueIndex>(
      `SELECT t.relname AS "table", c.relname AS "index", a.attname AS first_column
       FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class c ON c.oid = i.indexrelid
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
       WHERE t.relnamespace = 'public'::regnamespace AND i.indisunique`,
    );
    return rows;
  } finally {
    await client.end();
  }
}
