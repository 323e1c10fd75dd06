/** Servers, a primary and a replica that fail at random under load: no acknowledged write is lost, nothing that was revoked works again. */
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ensureOwner } from "@rungs/server";
import { openPostgres } from "@rungs/store/postgres";
import { Random } from "../testing/random.ts";
import { type Agents, runIntruder, runOwner, runReader, runWriter, Truth } from "./failover/agents.ts";
import { startBalancer } from "./failover/balancer.ts";
import { breakNext } from "./failover/faults.ts";
import { Pair } from "./failover/pair.ts";
import { Servers } from "./failover/servers.ts";
import { createFolder, type Place } from "./places.ts";
import { verifyPlace } from "./verify.ts";
import { CONNECTION, createWorld, IMPORTS } from "./world.ts";

const WRITERS = 3;
/** Readers share the machine's capacity. */
const PAUSE_MS = 30;

export interface FailoverOptions {
  readonly kills: number;
  readonly agents: number;
  readonly seed: number;
  /** The longest time between two faults. */
  readonly pause_ms: number;
  /** Called after each fault. */
  readonly watch?: (faults: readonly string[]) => void;
}

/** The number of faults of each kind, and what the agents did. */
export interface FailoverFigures {
  readonly faults: Readonly<Record<string, number>>;
  readonly counts: Truth["counts"];
  /** Reads that replicas answered since the last start of their servers. */
  readonly replica_reads: number;
  /** How often the balancer had no server. */
  readonly no_server: number;
  readonly records: number;
}

/** Throws when a guarantee is broken. */
export async function soakFailover({
  kills,
  agents: count,
  seed,
  pause_ms,
  watch = () => undefined,
}: FailoverOptions): Promise<FailoverFigures> {
  const random = new Random(seed);
  const pair = await Pair.start();
  const place = await createPairPlace(pair);
  const stop = new AbortController();
  let servers: Servers | undefined;
  let close: (() => Promise<unknown>) | undefined;
  try {
    const world = await createWorld(place, { agents: count });
    servers = await Servers.start(pair);
    const running = servers;
    const balancer = await startBalancer(() => running.list());
    const store = await place.open();
    close = async () => {
      await balancer.close();
      await store.close();
    };
    const truth = new Truth();
    const agents: Agents = {
      url: balancer.url,
      listServers: () => running.list(),
      truth,
      owner_token: world.owner,
      pause_ms: PAUSE_MS * (count + WRITERS),
      stop: stop.signal,
    };
    const parts = { store, owner_id: await ensureOwner(store), now: Date.now };
    const load = Promise.all([
      ...Array.from({ length: WRITERS }, (_, at) => runWriter(agents, at, seed + at)),
      ...world.agents.map((token, at) => runReader(agents, token, seed + 100 + at)),
      runOwner(agents, parts, seed),
      runIntruder(agents, world.agents[0] as string, seed),
    ]);
    const faults: Record<string, number> = {};
    const breaking = async () => {
      for (let at = 0; at < kills; at += 1) {
        await delay(random.next() * pause_ms);
        const names = await breakNext({ pair, servers: running, random }, at);
        for (const name of names) faults[name] = (faults[name] ?? 0) + 1;
        watch(names);
        running.requireRunning();
      }
    };
    await Promise.race([load, breaking()]);
    stop.abort();
    await load;
    const replica_reads = await countReplicaReads(agents);
    await servers.end();
    const records = await verifyPlace(place, { [CONNECTION]: truth.kept, [IMPORTS]: new Map() });
    return { faults, counts: truth.counts, replica_reads, no_server: balancer.refused.count, records };
  } catch (error) {
    stop.abort();
    for (const line of (await servers?.end()) ?? []) console.error(line);
    throw error;
  } finally {
    stop.abort();
    await servers?.end();
    await close?.();
    await place.remove();
  }
}

async function countReplicaReads({ listServers, owner_token }: Agents): Promise<number> {
  const headers = { Authorization: `Bearer ${owner_token}` };
  const texts = listServers().map(async (url) => (await fetch(`${url}/metrics`, { headers })).text());
  const counts = (await Promise.all(texts)).map(
    (text) => /^rungs_replica_reads_total\{server="replica"\} (\d+)$/m.exec(text)?.[1],
  );
  return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
}

async function createPairPlace(pair: Pair): Promise<Place> {
  const folder = createFolder();
  const { address } = await pair.link();
  return {
    engine: "PostgreSQL",
    address,
    folder,
    open: (options) => openPostgres(address, options),
    async remove() {
      await pair.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
