/** The statements of a window, without the checks before them: each limits the fields itself (R51). */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { engines } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { findText, readStored } from "../read/field-text.ts";
import { SqliteSql } from "../sqlite/sqlite-sql.ts";

test("R51 the statement of a window gives nothing of a field outside the scope", async (t) => {
  const place = await engines.sqlite();
  t.after(() => place.remove());
  const store = await place.open();
  await createOwner(store);
  await ingest(store, [message("a", { body: "b".repeat(9_000) })]);
  await store.close();
  const database = new DatabaseSync(place.address);
  t.after(() => database.close());
  const sql = new SqliteSql(database, { rows: 0, bytes: 0, statements: 0 });
  const [limits] = scopeOver("messages", { fields: ["body"] }).streams;
  assert.ok(limits);
  const [found] = await sql.all<{ owner: number }>("SELECT owner FROM records", []);
  const context = { sql, owner: found?.owner ?? 0 };
  const read = async (fields: string[]) => {
    const hidden = { ref: refOf("a"), path: "body", field: "body", limits: { ...limits, fields } };
    return [
      (await readStored(context, hidden, { start: 0, end: 3 }))?.text,
      (await findText(context, hidden))?.size_chars,
    ];
  };
  assert.deepEqual(await read(["body"]), ["bbb", 9_000]);
  assert.deepEqual(await read(["subject"]), [undefined, undefined]);
});
