/** A server of another version on the same database: it derives values from records in another way. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { TOKENIZER_VERSION } from "@rungs/evidence";
import pg from "pg";
import { type Place, testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, scopeOver } from "../../../../testing/store/world.ts";
import { FOLDED_FIELDS, FOLDING } from "../rows/folded-values.ts";
import type { Store } from "../store.ts";

const HIDES_ADA = {
  never: { conditions: [{ field: "code", op: "equals", value: "ada" }] },
} as const;
const mail = (id: string, code: string) => message(id, { subject: "word", code });

async function list(store: Store, limits: object): Promise<string[]> {
  const page = { connection_id: "mail", stream: "messages", order: "asc", limit: 10 } as const;
  const { records } = await store.listRecords(scopeOver("messages", limits), page);
  return records.map(({ record_id }) => record_id).sort();
}

async function execute({ engine, address }: Place, ...statements: string[]): Promise<void> {
  if (engine === "sqlite") {
    const database = new DatabaseSync(address);
    for (const statement of statements) database.exec(statement);
    return database.close();
  }
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

testOnEachEngine(
  "R81 once a newer version has folded the values of a stream, this one writes none, and answers nothing that compares them",
  async ({ store, place }) => {
    await createOwner(store);
    await ingest(store, [mail("a", "ADA"), mail("b", "ben")]);
    assert.deepEqual(await list(store, HIDES_ADA), ["b"]);
    await execute(place, `UPDATE parts SET folding = ${FOLDING + 1}`);
    await assert.rejects(store.ingest(OWNER, "mail", [mail("c", "c")]), {
      code: "database_unavailable",
    });
    await assert.rejects(list(store, HIDES_ADA), { code: "rule_unfinished" });
    assert.deepEqual(await list(store, {}), ["a", "b"]);
    await store.tagMatching(OWNER);
    await assert.rejects(list(store, HIDES_ADA), { code: "rule_unfinished" });
  },
);

testOnEachEngine(
  "R81 a stream that an older version adds beside this one is compared only once its values were folded again",
  async ({ store, place }) => {
    await createOwner(store);
    await ingest(store, [mail("a", "ADA"), mail("b", "ben")]);
    await execute(
      place,
      `UPDATE parts SET folding = ${FOLDING - 1}`,
      `DELETE FROM items WHERE field >= ${FOLDED_FIELDS}`,
    );
    await assert.rejects(list(store, HIDES_ADA), { code: "rule_unfinished" });
    await store.tagMatching(OWNER);
    assert.deepEqual(await list(store, HIDES_ADA), ["b"]);
  },
);

for (const change of [
  `UPDATE parts SET folding = ${FOLDING + 1}`,
  `UPDATE runs SET tokenizer = ${TOKENIZER_VERSION + 1}`,
])
  testOnEachEngine(
    `a program refuses a database after a newer version's ${change}`,
    async ({ store, place }) => {
      await createOwner(store);
      await ingest(store, [mail("a", "ada")]);
      await execute(place, change);
      await assert.rejects(place.open(), { code: "database_newer" });
    },
  );
