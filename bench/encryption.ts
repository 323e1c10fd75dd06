/** What encryption costs: the same records and reads in a plain and in an encrypted SQLite file. */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { type BenchRecord, createRecords, toEnvelope } from "./corpus.ts";
import { benchScope, CONNECTION, type Engine, OWNER, openSqliteEngine } from "./engines.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";
import { READS } from "./owners.ts";
import { mixedText } from "./windows.ts";

const BATCH = 1_000;
const ROUNDS = 60;
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

/** By CPU time too: encryption costs no waiting. */
async function measureIngest(plain: Engine, encrypted: Engine, count: number): Promise<void> {
  const records = [...createRecords(count)];
  const spent = { plain: { ms: 0, cpu_ms: 0 }, encrypted: { ms: 0, cpu_ms: 0 } };
  const put = async (engine: Engine, batch: readonly BenchRecord[], into: { ms: number; cpu_ms: number }) => {
    const [start, before] = [performance.now(), process.cpuUsage()];
    await engine.store.ingest(OWNER, CONNECTION, batch.map(toEnvelope));
    const { user, system } = process.cpuUsage(before);
    into.ms += performance.now() - start;
    into.cpu_ms += (user + system) / 1_000;
  };
  for (let at = 0; at < count; at += BATCH) {
    const batch = records.slice(at, at + BATCH);
    await put(plain, batch, spent.plain);
    await put(encrypted, batch, spent.encrypted);
  }
  const body = mixedText(LONG_BYTES);
  const long = { id: LONG.record_id, subject: "long", body, sent_at: "2026-01-01T00:00:00Z" };
  for (const { store } of [plain, encrypted]) {
    await store.ingest(OWNER, CONNECTION, [toEnvelope(long)]);
    await store.tidy(OWNER);
  }
  const megabytes = (engine: Engine) => (statSync(engine.place).size / 1e6).toFixed(1);
  printTable(
    `Encryption, ingest: ${count.toLocaleString("en")} records`,
    ["measure", "plain", "encrypted", "encrypted against plain"],
    [
      ...(["ms", "cpu_ms"] as const).map((unit) => [
        unit === "ms" ? "records/s" : "CPU s",
        ...[spent.plain[unit], spent.encrypted[unit]].map((value) =>
          unit === "ms" ? ((count / value) * 1000).toFixed(0) : (value / 1000).toFixed(1),
        ),
        ratio(spent.encrypted[unit] / spent.plain[unit]),
      ]),
      ["file, MB", megabytes(plain), megabytes(encrypted), ""],
    ],
  );
}

async function measureReads(plain: Engine, encrypted: Engine): Promise<void> {
  const reads: typeof READS = {
    ...READS,
    "window in 10 MiB": (store, scope) => {
      const start = Math.floor(Math.random() * (LONG_BYTES >> 2));
      return store.readField(scope, LONG, "body", { start, end: start + 4_096 });
    },
  };
  const rows: string[][] = [];
  for (const [kind, read] of Object.entries(reads)) {
    const times = { plain: [] as number[], encrypted: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [name, { store }] of [
        ["plain", plain],
        ["encrypted", encrypted],
      ] as const) {
        const start = performance.now();
        await read(store, benchScope);
        times[name].push(performance.now() - start);
      }
    const [one, other] = [summarize(times.plain), summarize(times.encrypted)];
    rows.push([kind, show(one), show(other), ratio(other.median / one.median)]);
  }
  printTable(
    "Encryption, reads: ms median / p95",
    ["read", "plain", "encrypted", "encrypted against plain"],
    rows,
  );
}
