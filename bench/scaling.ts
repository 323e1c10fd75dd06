/**
 * The throughput of 1, 2 and 4 servers on one PostgreSQL where the servers are the bottleneck: each gets a small share
 * of a CPU, as on a small machine, and the database and the readers get the rest.
 */
import { connectPostgres, type Engine } from "./engines.ts";
import { say } from "./figures.ts";
import { applyLoad, READERS } from "./load.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";
import { limitProcessor, readMemory, readParent, readProcessorSeconds, whyNoLimit } from "./processes.ts";
import { createToken, startServers, stopServers } from "./servers.ts";

type Client = Awaited<ReturnType<typeof connectPostgres>>;

const COUNTS = [1, 2, 4];
const SHARE = 0.25;
const SECONDS = 20;
/**
 * Warm-up: each server thread compiles its own code, and some start later than others, which takes long with a small
 * CPU share. So warm up before the limit, and then under it.
 */
const [WARM_UP_REQUESTS, SETTLE_REQUESTS] = [6_000, 2_000];
/** A grant has four requests in flight over all servers: with one grant, more servers would not help. */
const GRANTS = 16;

/** The rows of the table; none where processes cannot be limited. */
export async function measureScaling(engine: Engine): Promise<string[][]> {
  if (whyNoLimit() !== undefined) return [];
  const tokens = [];
  for (let number = 0; number < GRANTS; number += 1) tokens.push(await createToken(engine));
  const client = await connectPostgres(engine.place);
  const database = await findPostmaster(client);
  const rows: string[][] = [];
  let one = Number.NaN;
  for (const count of COUNTS) {
    const other_connections = await countConnections(client);
    const servers = await startServers(engine, count);
    const pids = servers.map(({ process: { pid } }) => pid as number);
    await applyLoad(servers, tokens, { requests: count * WARM_UP_REQUESTS });
    const limits = pids.map((pid) => limitProcessor(pid, SHARE));
    await applyLoad(servers, tokens, { requests: count * SETTLE_REQUESTS });
    const read = () => [sum(pids.map(readProcessorSeconds)), readProcessorSeconds(database), ownSeconds()];
    const [start, before] = [performance.now(), read()];
    const times = await applyLoad(servers, tokens, { seconds: SECONDS });
    const seconds = (performance.now() - start) / 1000;
    const used = read().map((value, at) => (value - (before[at] ?? 0)) / seconds);
    const connections = (await countConnections(client)) - other_connections;
    const memory = Math.max(...pids.map((pid) => readMemory(pid, "VmHWM")));
    await stopServers(servers);
    for (const limit of limits) await limit.forget();
    const per_second = times.length / seconds;
    if (count === 1) one = per_second;
    rows.push([
      String(count),
      per_second.toFixed(0),
      ratio(per_second / one),
      ...used.map((value) => value.toFixed(2)),
      (per_second / (used[0] ?? 0)).toFixed(0),
      String(connections),
      `${memory} MiB`,
      show(summarize(times)),
    ]);
  }
  await client.end();
  return rows;
}

export function printScaling(rows: readonly string[][]): void {
  const missing = whyNoLimit();
  const title = "PostgreSQL, servers with a share of a processor";
  if (missing !== undefined) say(`### ${title}\n\nNot measured. ${missing}`);
  else
    printTable(
      `${title}: ${SHARE} of one each, ${READERS} readers with ${GRANTS} grants, three windows to a search`,
      [
        "server processes",
        "requests/s",
        "against one server",
        "processors used by the servers",
        "by the database",
        "by the readers",
        "requests for a second of a server's processor",
        "connections to the database",
        "most memory of a server",
        "median / p95 ms",
      ],
      rows,
    );
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The first process of the database, whose children serve its connections. */
async function findPostmaster(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return readParent(rows[0]?.pid ?? 0);
}

async function countConnections(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database()",
  );
  return rows[0]?.count ?? 0;
}
