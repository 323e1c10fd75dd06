/**
 * PostgreSQL's plans for blob lookups. Its planner knows how often a value occurs, even in hidden rows: the same
 * statement with a hidden and an absent blob must have the same plan and read equally many pages. Counts pages, so that
 * a difference of a third in time, which medians on a busy machine do not reveal, fails here.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { engines } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, scopeOver } from "../../../../testing/store/world.ts";

const HIDDEN_REFERENCES = 3_000;
/** Pages that may differ by chance: the rows of a lookup may be on one page or two. */
const PAGES = 2;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Plan[];
}

test("R17 a hidden blob has the same plan as an absent one, and reads equally many pages (postgres)", async (context) => {
  const place = await engines.postgres();
  context.after(() => place.remove());
  const store = await place.open();
  context.after(() => store.close());
  await createOwner(store);
  const attachment = await store.putBlob(OWNER, "mail", bytesOf("hidden bytes"), "text/plain");
  const sent_at = "2020-01-01T00:00:00Z";
  const hidden = (_: unknown, at: number) => message(`m${at}`, { attachment, sent_at });
  await ingest(store, Array.from({ length: HIDDEN_REFERENCES }, hidden));
  await ingest(store, [message("shown", { subject: "s", sent_at: "2026-07-01T00:00:00Z" })]);
  await store.tidy(OWNER);

  const since_ms = Date.parse("2026-01-01T00:00:00Z");
  const scopes = {
    time: scopeOver("messages", { time: { since_ms } }),
    record: scopeOver("messages", { record_ids: ["shown"] }),
    field: scopeOver("messages", { fields: ["id", "subject"] }),
  };
  for (const [name, scope] of Object.entries(scopes)) {
    const explain = async (blob_id: string) => {
      const statements = await listen(async () => {
        assert.equal(await store.describeBlob(scope, blob_id), undefined);
      });
      return explainAll(place.address, statements);
    };
    const [ofHidden, ofAbsent] = [await explain(attachment.blob_id), await explain("0".repeat(64))];
    assert.ok(
      ofHidden.plans.some((plan) => plan.includes("blob_refs")),
      "the lookup was seen",
    );
    assert.deepEqual(ofHidden.plans, ofAbsent.plans, name);
    const more = Math.abs(ofHidden.pages - ofAbsent.pages);
    assert.ok(
      more <= PAGES,
      `${name}: ${ofHidden.pages} pages for a hidden blob, ${ofAbsent.pages} for an absent one`,
    );
  }
});

/** The statements that `work` sends. */
async function listen(work: () => Promise<void>): Promise<Statement[]> {
  const { query } = pg.Client.prototype;
  const statements: Statement[] = [];
  pg.Client.prototype.query = function (this: pg.Client, ...args: [Statement]) {
    statements.push(args[0]);
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements.filter(({ text }) => /^\s*SELECT/.test(text));
}

/** Runs statements as the planner would with these values; returns their plans, and the pages that they read. */
async function explainAll(url: string, statements: readonly Statement[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const plans: string[] = [];
    let pages = 0;
    for (const { text, values } of statements) {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values]);
      const plan: Plan = rows[0]["QUERY PLAN"][0].Plan;
      plans.push(describePlan(plan));
      pages += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    }
    return { plans, pages };
  } finally {
    await client.end();
  }
}

function describePlan(plan: Plan): string {
  const { "Node Type": node, "Index Name": index = "", Plans: below = [] } = plan;
  const table = (plan as { "Relation Name"?: string })["Relation Name"] ?? "";
  return `${node} ${table} ${index} (${below.map(describePlan).join(", ")})`;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
