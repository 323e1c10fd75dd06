/**
 * Counts the rows that PostgreSQL reads for a batch while its tables grow from empty, before autovacuum analyzes them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { engines } from "../../../../testing/engines.ts";
import { createOwner, ingest, message } from "../../../../testing/store/world.ts";

const RECORDS = 4_000;
const BATCH = 200;

test("R51 a batch looks its keys up in the index instead of scanning all records, even for a new owner", async () => {
  const place = await engines.postgres();
  try {
    const store = await place.open();
    for (const owner_id of ["first", "second"]) {
      await createOwner(store, { owner_id });
      for (let start = 0; start < RECORDS; start += BATCH) {
        const some = Array.from({ length: BATCH }, (_, at) =>
          message(`${start + at}`, { body: "some words ".repeat(50) }),
        );
        await ingest(store, some, { owner_id });
      }
    }
    // A connection reports its statistics when it closes.
    await store.close();
    const read = await countRead(place.address);
    assert.ok(read <= RECORDS / 4, `${read} rows were read to write ${2 * RECORDS} new ones`);
  } finally {
    await place.remove();
  }
});

async function countRead(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'records') AS read
     FROM pg_stat_user_tables WHERE relname = 'records'`,
  );
  await client.end();
  return Number(rows[0].read);
}
