import { DatabaseSync } from "node:sqlite";
import { requireQuery } from "@rungs/evidence";
import { openSqlite } from "@rungs/store/sqlite";
import { wordOf } from "./corpus.ts";

const store = await openSqlite("/tmp/q.db");
const f = new DatabaseSync("/tmp/f.db");
f.exec("PRAGMA mmap_size=1073741824");
const scope = {
  owner_id: "me",
  streams: [{ connection_id: "c", stream: "messages", fields: ["id", "subject", "body", "sent_at"] }],
};
const qs: Record<string, string[]> = {
  rare: [50000, 60000, 70000, 80000, 90000, 40000, 30000].map(wordOf),
  common: [0, 1, 2, 3, 4, 5].map(wordOf),
  "two common": [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 5],
  ].map((a) => a.map(wordOf).join(" ")),
  "three mixed": [
    [0, 30, 2000],
    [1, 50, 3000],
    [2, 80, 1000],
  ].map((a) => a.map(wordOf).join(" ")),
  phrase: [
    [0, 1],
    [1, 2],
  ].map((a) => '"' + a.map(wordOf).join(" ") + '"'),
};
const fq = f.prepare("select rowid, bm25(ft) s from ft where ft match ? order by s limit 10");
const med = (a: number[]) => {
  a.sort((x, y) => x - y);
  return `${a[a.length >> 1]!.toFixed(2)}/${a[Math.floor(a.length * 0.95)]!.toFixed(2)}`;
};
for (const [k, list] of Object.entries(qs)) {
  if (process.argv[2] && k !== process.argv[2]) continue;
  const a: number[] = [],
    b: number[] = [];
  let c = 0;
  const tr = { ...store.traffic };
  let n = 0;
  for (let rep = 0; rep < (process.argv[2] ? 60 : 12); rep++)
    for (const q of list) {
      let t = performance.now();
      const r = await store.search(scope, { query: requireQuery(q), limit: 10 });
      a.push(performance.now() - t);
      n++;
      c = r.count;
      t = performance.now();
      fq.all(q);
      b.push(performance.now() - t);
    }
  console.log(
    k.padEnd(12),
    "ours",
    med(a),
    "fts5",
    med(b),
    "count",
    c,
    "stmts",
    (store.traffic.statements - tr.statements) / n,
    "rows",
    (store.traffic.rows - tr.rows) / n,
    "kB",
    (store.traffic.bytes - tr.bytes) / n / 1e3,
  );
}
await store.close();
