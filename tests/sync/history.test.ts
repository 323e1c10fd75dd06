/** Random histories of a mailbox on a real server, with runs that abort at random points. */
import { type TestContext, test } from "node:test";
import { runSync } from "@rungs/sources";
import type { Store } from "@rungs/store";
import { engines } from "../../testing/engines.ts";
import { changeMailbox } from "../../testing/imap/mail-history.ts";
import { MAIL_SERVER } from "../../testing/imap/mail-server.ts";
import { createSyncWorld, type SyncWorld } from "../../testing/imap/sync-world.ts";
import { Random } from "../../testing/random.ts";
import { readSize } from "../../testing/sizes.ts";

const HISTORIES = readSize("RUNGS_SYNC_HISTORIES");
const STEPS = 24;
const SERVERS = [[], ["QRESYNC"], ["QRESYNC", "CONDSTORE", "LIST-STATUS"]];

for (const engine of Object.keys(engines))
  test(`R76 after any history of a mailbox and any kills, the next run equals the server (${engine}, ${MAIL_SERVER})`, async (t) => {
    const seed = Number(process.env.RUNGS_SYNC_SEED ?? Math.floor(Math.random() * 1e6));
    for (let at = 0; at < HISTORIES; at += 1) await tryHistory(t, engine, seed + at);
  });

async function tryHistory(t: TestContext, engine: string, seed: number): Promise<void> {
  const random = new Random(seed);
  const world = await createSyncWorld({ engine, without: SERVERS[seed % SERVERS.length] ?? [] });
  const ids: string[] = [];
  const told: string[] = [];
  try {
    for (let step = 0; step < STEPS; step += 1) {
      told.push(await changeMailbox(world, random, ids));
      if (random.chance(0.35)) told.push(await breakOff(world, random, ids));
      if (random.chance(0.4)) {
        told.push("sync");
        await world.sync();
        await world.compare();
      }
    }
    await world.sync();
    await world.compare();
  } catch (error) {
    t.diagnostic(`RUNGS_SYNC_SEED=${seed}: ${told.join(", ")}`);
    throw error;
  } finally {
    await world.close();
  }
}

/** A run that aborts before or after a batch, while the mailbox may change. */
async function breakOff(world: SyncWorld, random: Random, ids: string[]): Promise<string> {
  const { store } = world;
  const [last, isWritten, isChanged] = [random.int(1, 4), random.chance(0.5), random.chance(0.4)];
  let batches = 0;
  const writeSync: Store["writeSync"] = async (...args) => {
    batches += 1;
    if (batches < last) {
      if (isChanged) await changeMailbox(world, random, ids).catch(() => undefined);
      return store.writeSync(...args);
    }
    if (isWritten) await store.writeSync(...args);
    throw new Error("killed");
  };
  const context = { ...world.context, store: { ...store, writeSync } };
  const { state } = await runSync(context, "box", { batch_changes: random.int(1, 5) });
  return `${state} at batch ${batches}${isChanged ? ", changing meanwhile" : ""}`;
}
