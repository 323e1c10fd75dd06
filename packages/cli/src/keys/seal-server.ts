/**
 * Seals the long rows of a PostgreSQL database and opens them again. Both commands are safe to kill at any point: run
 * them again to finish.
 */
import { randomBytes } from "node:crypto";
import { ApiError } from "@rungs/contract";
import { listServers } from "@rungs/server";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { createProgress } from "../command/progress.ts";
import { type DatabasePlace, explainUnavailable, openPlace } from "../home/database.ts";
import { type Envelope, parseEnvelope, sealKey } from "./envelope.ts";
import { createKeeper, type KeeperChoice, newPassphraseIn, openKeeper } from "./keepers.ts";
import { openEnvelope } from "./open-key.ts";

const KEY_BYTES = 32;

export type ServerPlace = DatabasePlace & { readonly kind: "postgres" };

/** The outcome for a database. */
interface SealOutcome {
  readonly done: string;
  readonly row_count: number;
  readonly keeper?: Envelope["keeper"]["kind"];
}

/** What is to change; without a choice, a passphrase keeps a new key. */
interface SealRequest {
  readonly choice: KeeperChoice | undefined;
  readonly isNew: boolean;
}

/** `rungs encrypt` on PostgreSQL. */
export async function sealServer(
  call: CommandCall,
  place: ServerPlace,
  { choice, isNew }: SealRequest,
): Promise<SealOutcome> {
  const { env } = call.io;
  await requireStopped(place);
  const found = await findServerKeys(place);
  if (found === undefined) {
    const { keeper, key: with_key } = await createKeeper(choice ?? { kind: "passphrase" }, env);
    const key = randomBytes(KEY_BYTES);
    const envelope: Envelope = { version: 1, keeper, keys: [sealKey(key, with_key)] };
    return changeRows(call, place, { state: "sealing", envelope, keys: [key] });
  }
  const { envelope, keys, state } = found;
  const isFinished = state === "sealed";
  if (isFinished && choice === undefined && !isNew)
    throw new UsageError(
      "The database is sealed: add --passphrase, --keychain or --key-file to change what keeps its key, or --new-key to change the key.",
    );
  const finished = isFinished
    ? undefined
    : await changeRows(call, place, { state: "sealing", envelope, keys });
  if (finished && choice === undefined && !isNew) return finished;
  const { keeper, key: with_key } =
    choice === undefined
      ? { keeper: envelope.keeper, key: await openKeeper(envelope.keeper, env) }
      : await createKeeper(choice, newPassphraseIn(env));
  const last = keys.at(-1) as Uint8Array;
  const changed = [last, ...(isNew ? [randomBytes(KEY_BYTES)] : [])];
  const next: Envelope = { version: 1, keeper, keys: changed.map((key) => sealKey(key, with_key)) };
  if (isNew) return changeRows(call, place, { state: "sealing", envelope: next, keys: changed });
  await (await import("@rungs/store/postgres")).replaceSealEnvelope(place.url, JSON.stringify(next));
  return { done: "still sealed under the same key", row_count: 0, keeper: keeper.kind };
}

/** `rungs decrypt` on PostgreSQL. */
export async function openServer(call: CommandCall, place: ServerPlace): Promise<SealOutcome> {
  await requireStopped(place);
  const found = await findServerKeys(place);
  if (found === undefined) return { done: "plain", row_count: 0 };
  return changeRows(call, place, { ...found, state: "opening" });
}

/** The envelope of a database and its keys, the sealing one last; undefined when its rows are plain. */
async function findServerKeys({ url, env = process.env }: ServerPlace) {
  const stored = await explainUnavailable(async () => (await import("@rungs/store/postgres")).readSeal(url));
  if (stored === undefined) return undefined;
  const keys = await openEnvelope(url, stored.envelope, env);
  return { state: stored.state, keys, envelope: parseEnvelope(stored.envelope) as Envelope };
}

/** The envelope and the key with which a file is encrypted that has the rows of a sealed database. */
export async function findKeyForFile(place: ServerPlace) {
  const found = await findServerKeys(place);
  return found && { envelope: keepLast(found.envelope), key: found.keys.at(-1) as Uint8Array };
}

const keepLast = (envelope: Envelope): Envelope => ({ ...envelope, keys: envelope.keys.slice(-1) });

interface RowChange {
  readonly state: "sealing" | "opening";
  readonly envelope: Envelope;
  readonly keys: readonly Uint8Array[];
}

async function changeRows(
  call: CommandCall,
  { url }: ServerPlace,
  { state, envelope, keys }: RowChange,
): Promise<SealOutcome> {
  const { changeSeal } = await import("@rungs/store/postgres");
  let table = "";
  const progress = createProgress(call, (row_count) => `${table}: ${row_count} rows`);
  try {
    const change = {
      state,
      keys,
      envelope: JSON.stringify(envelope),
      last_envelope: JSON.stringify(keepLast(envelope)),
    };
    const row_count = await changeSeal(url, change, (name, done) => {
      table = name;
      progress.show(done);
    });
    if (state === "opening") return { done: "opened", row_count };
    return {
      done: keys.length > 1 ? "sealed under a new key" : "sealed",
      row_count,
      keeper: envelope.keeper.kind,
    };
  } finally {
    progress.done();
  }
}

/** Creates the tables of an empty database, and refuses one that is served: a server knows the keys that it was started with. */
async function requireStopped(place: ServerPlace): Promise<void> {
  const store = await openPlace(place);
  try {
    const servers = await listServers({ store, owner_id: "", now: Date.now });
    const running = servers.filter(({ state }) => state !== "gone");
    if (running.length === 0) return;
    throw new ApiError("database_busy", {
      message: `${running.length === 1 ? "A server uses" : `${running.length} servers use`} the database: ${running.map(({ host, address }) => `${address} on ${host}`).join(", ")}.`,
      next: "Stop all servers and imports, then run this again.",
    });
  } finally {
    await store.close();
  }
}
