/** The cost of encryption: the same records and reads in a plain and in an encrypted SQLite file. */
import { randomBytes } from "node:crypto";
import type { ReadScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import { createRecords, toEnvelope, wordOf } from "./corpus.ts";
import { benchScope, CONNECTION, type Engine, measureDisk, OWNER, openSqliteEngine } from "./engines.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";
import { READS } from "./owners.ts";
import { mixedText } from "./windows.ts";

const BATCH = 1_000;
const [WARM_UP_ROUNDS, ROUNDS] = [20, 200];
const LONG_BYTES = 10 << 20;
const LONG = { connection_id: CONNECTION, stream: "messages", record_id: "long" };

export async function benchEncryption(count: number): Promise<void> {
  const plain = await openSqliteEngine();
  const encrypted = await openSqliteEngine({ key: randomBytes(32) });
  try {
    await measureIngest(plain, encrypted, count);
    await measureReads(plain, encrypted);
  } finally {
    await plain.close();
    await encrypted.close();
  }
}

/** The measurements of one variant: each time, and the total CPU time. */
interface Spent {
  readonly times: number[];
  cpu_ms: number;
}

/** Alternates between both variants, each going first equally often, so that both see the same machine load. */
async function takeTurns(
  pair: readonly [Engine, Engine],
  rounds: number,
  work: (engine: Engine, round: number) => Promise<unknown>,
): Promise<[Spent, Spent]> {
  const spent: [Spent, Spent] = [
    { times: [], cpu_ms: 0 },
    { times: [], cpu_ms: 0 },
  ];
  for (let round = 0; round < rounds; round += 1)
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const [start, before] = [performance.now(), process.cpuUsage()];
      await work(pair[at], round);
      const { user, system } = process.cpuUsage(before);
      spent[at].times.push(performance.now() - start);
      spent[at].cpu_ms += (user + system) / 1_000;
    }
  return spent;
}

async function measureIngest(plain: Engine, encrypted: Engine, count: number): Promise<void> {
  const records = [...createRecords(count)];
  const [one, other] = await takeTurns([plain, encrypted], Math.ceil(count / BATCH), ({ store }, round) =>
    store.ingest(OWNER, CONNECTION, records.slice(round * BATCH, (round + 1) * BATCH).map(toEnvelope)),
  );
  const body = mixedText(LONG_BYTES);
  const long = { id: LONG.record_id, subject: "long", body, sent_at: "2026-01-01T00:00:00Z" };
  for (const { store } of [plain, encrypted]) {
    await store.ingest(OWNER, CONNECTION, [toEnvelope(long)]);
    await store.tidy(OWNER);
  }
  const megabytes = async (engine: Engine) => ((await measureDisk(engine)) / 1e6).toFixed(1);
  const sum = ({ times }: Spent) => times.reduce((all, ms) => all + ms, 0);
  const speed = (spent: Spent) => ((count / sum(spent)) * 1000).toFixed(0);
  printTable(
    `Encryption, ingest: ${count.toLocaleString("en")} records`,
    ["measure", "plain", "encrypted", "encrypted against plain"],
    [
      ["records/s", speed(one), speed(other), ratio(sum(other) / sum(one))],
      [
        "CPU s",
        (one.cpu_ms / 1000).toFixed(1),
        (other.cpu_ms / 1000).toFixed(1),
        ratio(other.cpu_ms / one.cpu_ms),
      ],
      ["file, MB", await megabytes(plain), await megabytes(encrypted), ""],
    ],
  );
}

async function measureReads(plain: Engine, encrypted: Engine): Promise<void> {
  const reads: Readonly<Record<string, (store: Store, scope: ReadScope, round: number) => Promise<unknown>>> =
    {
      ...READS,
      // The pages it reads are not in SQLite's cache, and must be decrypted.
      "search, a different word each time": (store, scope, round) =>
        store.search(scope, { query: requireQuery(wordOf(1_000 + 37 * round)), limit: 10 }),
      "window in 10 MiB": (store, scope, round) => {
        const start = (round * 99_991) % (LONG_BYTES >> 2);
        return store.readField(scope, LONG, "body", { start, end: start + 4_096 });
      },
    };
  const rows: string[][] = [];
  for (const [kind, read] of Object.entries(reads)) {
    const work = ({ store }: Engine, round: number) => read(store, benchScope, round);
    await takeTurns([plain, encrypted], WARM_UP_ROUNDS, work);
    const [one, other] = await takeTurns([plain, encrypted], ROUNDS, work);
    const times = [summarize(one.times), summarize(other.times)] as const;
    rows.push([
      kind,
      ...times.map(show),
      ratio(times[1].median / times[0].median),
      ...[one, other].map(({ cpu_ms }) => (cpu_ms / ROUNDS).toFixed(2)),
      ratio(other.cpu_ms / one.cpu_ms),
    ]);
  }
  printTable(
    "Encryption, reads: ms median / p95, and CPU ms",
    ["read", "plain", "encrypted", "against plain", "CPU, plain", "CPU, encrypted", "against plain"],
    rows,
  );
}
