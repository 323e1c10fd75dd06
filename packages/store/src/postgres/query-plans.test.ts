/** PostgreSQL's plans under the server's role: row-level security keeps it from looking up results of functions in an index. */
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import pg from "pg";
import { engines, type Place } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

const RECORDS = 2_000;
/**
 * The rows for a page of records, plus those with the same value; a lookup for each record of the stream takes ten
 * times as many.
 */
const PAGES = 3_000;

let place: Place;
let store: Store;
before(async () => {
  place = await engines.postgres();
  store = await place.open({ embedder: null });
  await createOwner(store);
  await ingest(store, [message("long", { body: "window ".repeat(60_000) })]);
  await ingest(
    store,
    Array.from({ length: RECORDS }, (_, at) =>
      message(`m${at}`, { label: `thread ${at % 20}`, amount: at % 50, subject: "word" }),
    ),
  );
  await store.tidy(OWNER);
});
after(async () => {
  await store.close();
  await place.remove();
});

test("R20 R120 a window is a range of an index under the server's role", async (context) => {
  const scope = scopeOver("messages", { fields: ["body"] });
  const read = () => store.readField(scope, refOf("long"), "body", { start: 200_000, end: 204_096 });
  // A hundred chunks are a small table.
  const [plan = ""] = await explain(context, / chunks /, read, "SET enable_seqscan = off");
  assert.match(plan, /Index Cond: .*start_char > .*start_char < /, plan);
});

test("R25 R81 a page in the order of any field reads the records of the page, whatever else the scope hides", async (context) => {
  const hidden = [{ field: "label", op: "in" as const, values: ["thread 3", "thread 4"] }];
  const scope = scopeOver("messages", { never: { conditions: hidden, record_ids: ["m9"] } });
  const request = { connection_id: "mail", stream: "messages", order_by: "amount", limit: 10 };
  for (const order of ["asc", "desc"] as const) {
    const { next } = await store.listRecords(scope, { ...request, order });
    const plans = await explain(context, /FROM scalars s/, () =>
      store.listRecords(scope, { ...request, order, after: next }),
    );
    const read = plans.flatMap((plan) => plan.match(/Buffers: shared hit=\d+/) ?? [])[0];
    assert.ok(Number(read?.split("=")[1]) < PAGES, plans.join("\n"));
  }
});

/** The plans, under the server's role, of the statements like `pattern` that `work` runs. */
async function explain(
  context: TestContext,
  pattern: RegExp,
  work: () => Promise<unknown>,
  settings = "",
): Promise<string[]> {
  const statements: { text: string; values: unknown[] }[] = [];
  const { query } = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const listening = context.mock.method(
    pg.Client.prototype,
    "query",
    function (this: object, ...args: unknown[]) {
      const [statement] = args as [{ text?: string; values?: unknown[] } | string];
      if (typeof statement === "object" && pattern.test(statement.text ?? ""))
        statements.push({ text: statement.text as string, values: statement.values ?? [] });
      return query.apply(this, args);
    },
  );
  await work();
  listening.mock.restore();
  assert.ok(statements.length > 0, "a statement was seen");
  const client = new pg.Client({ connectionString: place.address });
  await client.connect();
  try {
    const role = client.escapeIdentifier(store.database_role as string);
    await client.query(`SET ROLE ${role}; SET rungs.owner = 1; SET join_collapse_limit = 1; ${settings}`);
    const plans: string[] = [];
    for (const { text, values } of statements) {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, values);
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
    }
    return plans;
  } finally {
    await client.end();
  }
}
