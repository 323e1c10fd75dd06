/** One import in a process of its own, so that its peak of memory is its own: `parser FILE`, or `ADDRESS FILE` to store. */

import { ensureOwner } from "@rungs/server";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import { tryPlan } from "../packages/cli/src/import/dry-run.ts";
import { planImport } from "../packages/cli/src/import/plan.ts";
import { runPlan } from "../packages/cli/src/import/run-plan.ts";

const [way = "", path = ""] = process.argv.slice(2);
const plan = await planImport(path, {
  format: undefined,
  connection_id: "bench",
  label: undefined,
  manifest: undefined,
});
const nothing = () => undefined;
const watch = { note: nothing, onItem: nothing };

const began = performance.now();
const items = way === "parser" ? await parse() : await store();
const ms = performance.now() - began;
await plan.files.close();
console.log(JSON.stringify({ ms, items, peak_bytes: process.resourceUsage().maxRSS * 1024 }));

async function parse(): Promise<number> {
  const { streams } = await tryPlan(plan, { ...watch, onRejected: nothing });
  return Object.values(streams).reduce((sum, count) => sum + count, 0);
}

async function store(): Promise<number> {
  const opened = way.startsWith("postgres:") ? await openPostgres(way) : await openSqlite(way);
  const parts = { store: opened, owner_id: await ensureOwner(opened), now: Date.now };
  const { tally } = await runPlan(plan, parts, watch);
  await opened.close();
  return tally.added;
}
