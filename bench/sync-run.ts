/**
 * One sync in a separate process, to measure its time and peak memory: `DATABASE PORT [low]`; `low`: at the priority
 * that `rungs serve` uses.
 */
import { constants, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { ensureOwner } from "@rungs/server";
import { createSecretKeeper, listSyncs, runSync, type SyncContext } from "@rungs/sources";
import { openSqlite } from "@rungs/store/sqlite";
import { PASSWORD, USER } from "../testing/imap/mail-account.ts";

const SYNC = "box";
const [file = "", port = "", priority] = process.argv.slice(2);
if (priority === "low") setPriority(constants.priority.PRIORITY_LOW);
const store = await openSqlite(file);
const owner_id = await ensureOwner(store);
const secrets = createSecretKeeper({ file: join(dirname(file), "sources.key") });
const context: SyncContext = { store, owner_id, now: Date.now, secrets, work_folder: dirname(file) };
const settings = { host: "127.0.0.1", port: Number(port), user: USER, security: "none" };
if ((await listSyncs(context)).some(({ sync_id }) => sync_id === SYNC))
  await store.changeSync(owner_id, SYNC, { settings });
else
  await store.addSync(owner_id, {
    sync_id: SYNC,
    connection_id: SYNC,
    kind: "imap",
    settings,
    schedule: { kind: "every", minutes: 15 },
    keeps_deleted: false,
    secret: await secrets.seal(PASSWORD, SYNC),
  });
const began = performance.now();
const run = await runSync(context, SYNC);
const ms = performance.now() - began;
const cpu_ms = (process.cpuUsage().user + process.cpuUsage().system) / 1_000;
await store.close();
const { state, failure, added, changed, rejected } = run;
if (state !== "done" || rejected > 0) throw new Error(`The sync ended ${state}: ${failure?.message}.`);
console.log(
  JSON.stringify({ ms, cpu_ms, added, changed, peak_bytes: process.resourceUsage().maxRSS * 1024 }),
);
