import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { requireManifest } from "@rungs/contract";
import { openSqlite } from "@rungs/store/sqlite";
import { benchManifest, createRecords, toEnvelope } from "./corpus.ts";

const N = Number(process.argv[2] ?? 8000),
  B = Number(process.argv[3] ?? 1000);
for (const f of [
  "/tmp/q.db",
  "/tmp/q.db-wal",
  "/tmp/q.db-shm",
  "/tmp/f.db",
  "/tmp/f.db-wal",
  "/tmp/f.db-shm",
])
  rmSync(f, { force: true });
const envs = [...createRecords(N)].map(toEnvelope);
const store = await openSqlite("/tmp/q.db");
await store.putOwner("me");
await store.putManifest("me", requireManifest(benchManifest));
await store.putConnection("me", {
  connection_id: "c",
  source_id: benchManifest.source.id,
  declaration_version: "1",
  display_name: "B",
});
let c0 = process.cpuUsage();
let t = performance.now();
for (let i = 0; i < N; i += B) await store.ingest("me", "c", envs.slice(i, i + B));
let dt = performance.now() - t;
let c1 = process.cpuUsage(c0);
console.log("ours", ((N / dt) * 1000).toFixed(0), "cpu s", (c1.user + c1.system) / 1e6);
await store.close();
if (process.argv[4]) {
  c0 = process.cpuUsage();
  const f = new DatabaseSync("/tmp/f.db");
  f.exec(
    "PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA mmap_size=1073741824; CREATE TABLE r(id TEXT PRIMARY KEY, data TEXT); CREATE VIRTUAL TABLE ft USING fts5(subject, body)",
  );
  t = performance.now();
  const ir = f.prepare("insert into r values(?,?)"),
    ift = f.prepare("insert into ft(rowid,subject,body) values(?,?,?)");
  for (let i = 0; i < N; i += B) {
    f.exec("BEGIN");
    for (let j = i; j < Math.min(N, i + B); j++) {
      const r = envs[j]!.data as any;
      ir.run(r.id, JSON.stringify(r));
      ift.run(j + 1, r.subject, r.body);
    }
    f.exec("COMMIT");
  }
  dt = performance.now() - t;
  c1 = process.cpuUsage(c0);
  console.log("fts5", ((N / dt) * 1000).toFixed(0), "cpu s", (c1.user + c1.system) / 1e6);
}
