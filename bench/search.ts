/** Search with proven evidence, compared with a bare FTS5 `bm25` query over the same records. */
import { DatabaseSync } from "node:sqlite";
import { requireQuery } from "@rungs/evidence";
import { createRandom } from "../testing/random.ts";
import { type BenchRecord, wordOf } from "./corpus.ts";
import { benchScope, connectPostgres, type Engine } from "./engines.ts";
import type { Fts5 } from "./fts5.ts";
import { printTable, ratio, show, time } from "./measure.ts";

const HITS = 10;
const words = (...numbers: number[]) => numbers.map(wordOf).join(" ");

const queries: Readonly<Record<string, readonly string[]>> = {
  "rare word": [30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000].map(wordOf),
  "common word": [0, 1, 2, 3, 4, 5].map(wordOf),
  "two common": [words(0, 1), words(1, 2), words(2, 3), words(3, 5)],
  "three mixed": [words(0, 30, 2_000), words(1, 50, 3_000), words(2, 80, 1_000)],
  "question of five words": [
    words(0, 3, 1, 400, 5_000),
    words(1, 5, 2, 900, 7_000),
    words(2, 0, 7, 1_500, 300),
    words(4, 1, 0, 2_500, 12_000),
  ],
  "five common": [words(0, 1, 2, 3, 5), words(4, 6, 7, 8, 9)],
  phrase: [`"${words(0, 1)}"`, `"${words(1, 2)}"`, `"${words(7, 40)}"`],
};

export async function benchSearch(engines: readonly Engine[], fts5: Fts5): Promise<void> {
  const rows: string[][] = [];
  for (const [kind, list] of Object.entries(queries)) {
    const rounds = 10;
    const bare = await time(list, rounds, (query) => fts5.search(query, HITS));
    const shown = await time(list, rounds, (query) => fts5.searchWithSnippets(query, HITS));
    const row = [kind, show(bare), show(shown)];
    for (const { store } of engines) {
      const ours = await time(list, rounds, (query) =>
        store.search(benchScope, { query: requireQuery(query), limit: HITS }),
      );
      row.push(show(ours), ratio(bare.median / ours.median));
    }
    rows.push(row);
  }
  const head = engines.flatMap(({ name }) => [name, "against bare"]);
  printTable(
    "Search: top 10 with evidence, ms median / p95",
    ["query", "bare FTS5 bm25", "FTS5 with snippet and row", ...head],
    rows,
  );
}

/** The size of the index, compared with the indexed text. */
export async function benchIndexSize(
  engines: readonly Engine[],
  records: readonly BenchRecord[],
): Promise<void> {
  const bytes = records.reduce(
    (sum, record) => sum + Buffer.byteLength(record.subject) + Buffer.byteLength(record.body),
    0,
  );
  const rows = [];
  for (const engine of engines) {
    const size = engine.name === "SQLite" ? sqliteBlocks(engine.place) : await postgresBlocks(engine.place);
    rows.push([engine.name, (size / 1e6).toFixed(1), ratio(size / bytes)]);
  }
  printTable("Index size", ["engine", "MB", "against the text"], rows);
}

function sqliteBlocks(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database
    .prepare(
      "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN ('blocks', 'sqlite_autoindex_blocks_1', 'runs')",
    )
    .get();
  database.close();
  return Number(row?.bytes);
}

async function postgresBlocks(url: string): Promise<number> {
  const client = await connectPostgres(url);
  await client.query("VACUUM FULL blocks");
  const { rows } = await client.query("SELECT pg_total_relation_size('blocks') AS bytes");
  await client.end();
  return Number(rows[0].bytes);
}

/** Mean reciprocal rank of queries whose right answer is known: words taken out of one record. */
export async function benchRanking(
  { store }: Engine,
  fts5: Fts5,
  records: readonly BenchRecord[],
): Promise<void> {
  const random = createRandom(23);
  let ours = 0;
  let bare = 0;
  const count = 200;
  for (let number = 0; number < count; number += 1) {
    const record = records[Math.floor(random() * records.length)] as BenchRecord;
    const query = knownItemQuery(record, random);
    const { hits } = await store.search(benchScope, { query: requireQuery(query), limit: 50 });
    ours += reciprocalRank(
      hits.map((hit) => hit.record_id),
      record.id,
    );
    bare += reciprocalRank(fts5.search(query, 50), record.id);
  }
  printTable(
    "Ranking: mean reciprocal rank of 200 known-item queries",
    ["ours", "FTS5 bm25"],
    [[(ours / count).toFixed(3), (bare / count).toFixed(3)]],
  );
}

/** A word of the title, and two of the text, preferably ones that occur more than once. */
function knownItemQuery(record: BenchRecord, random: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string;
  const body: string[] = record.body.toLowerCase().match(/[a-z]+/g) ?? [];
  const repeated = body.filter((word, at) => body.indexOf(word) !== at);
  return [
    ...new Set([pick(record.subject.split(" ")), pick(repeated.length > 0 ? repeated : body), pick(body)]),
  ].join(" ");
}

function reciprocalRank(ids: readonly string[], wanted: string): number {
  const rank = ids.indexOf(wanted);
  return rank < 0 ? 0 : 1 / (rank + 1);
}
