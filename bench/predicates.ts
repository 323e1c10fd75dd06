/** A search under a selective condition takes as long as one in a stream with only the matching records. */
import { requireQuery } from "@rungs/evidence";
import { type BenchRecord, createRecords, toEnvelope } from "./corpus.ts";
import { benchScope, CONNECTION, type Engine, OWNER } from "./engines.ts";
import { createEnglish } from "./english.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";

const ONE_IN = 1_000;
const BATCH = 1_000;
const ROUNDS = 40;
const RECORD_BYTES = 500;

const word = createEnglish();
const words = (...ranks: number[]) => ranks.map(word).join(" ");
/** Each round searches for different words, so that no cache holds their postings. */
const queries = {
  "one word": (round: number) => words(40 + round),
  "two common words": (round: number) => words(round % 8, 8 + (round % 7)),
  "question of five words": (round: number) =>
    words(round % 8, 8 + (round % 7), 20 + round, 400 + round, 5_000 + round),
};

/** Fills `whole` with all records and `alone` with those that meet the condition. */
export async function fillWithChosen(whole: Engine, alone: Engine, size: number): Promise<void> {
  let batch: BenchRecord[] = [];
  let count = 0;
  for (const record of createRecords(size, RECORD_BYTES, { word })) {
    batch.push(record);
    count += 1;
    if (batch.length < BATCH && count < size) continue;
    const envelopes = batch.map((each, at) => label(each, (count - batch.length + at) % ONE_IN === 7));
    await whole.store.ingest(OWNER, CONNECTION, envelopes);
    await alone.store.ingest(
      OWNER,
      CONNECTION,
      envelopes.filter(({ data }) => data?.folder === "chosen"),
    );
    batch = [];
  }
  for (const { store } of [whole, alone]) await store.tidy(OWNER);
}

/** Compares the same searches of both, and of all records. */
export async function benchPredicates(whole: Engine, alone: Engine, size: number): Promise<void> {
  const where = [{ field: "folder", op: "equals" as const, value: "chosen" }];
  const narrowed = { ...benchScope, streams: benchScope.streams.map((each) => ({ ...each, where })) };
  const clock = whole.name === "SQLite" ? readProcessorMs : () => performance.now();
  const rows: string[][] = [];
  for (const [kind, textOf] of Object.entries(queries)) {
    const times: number[][] = [[], [], []];
    for (let round = -3; round < ROUNDS; round += 1) {
      const query = requireQuery(textOf(round + 3));
      const asked = [
        () => alone.store.search(benchScope, { query, limit: 10 }),
        () => whole.store.search(narrowed, { query, limit: 10 }),
        () => whole.store.search(benchScope, { query, limit: 10 }),
      ];
      for (const [at, ask] of asked.entries()) {
        const start = clock();
        await ask();
        if (round >= 0) times[at]?.push(clock() - start);
      }
    }
    const [own, chosen, all] = times.map(summarize);
    if (own && chosen && all)
      rows.push([kind, show(own), show(chosen), ratio(chosen.median / own.median), show(all)]);
  }
  const total = size.toLocaleString("en");
  printTable(
    `${whole.name}: search under a condition that 1 in ${ONE_IN.toLocaleString("en")} of ${total} records meets: ms ${whole.name === "SQLite" ? "of processor time, " : ""}median / p95`,
    ["query", "a stream of only those", "under the condition", "at most 2.00×", "all records"],
    rows,
  );
}

/** SQLite runs in this process, so CPU time excludes other programs. */
function readProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function label(record: BenchRecord, isChosen: boolean) {
  const envelope = toEnvelope(record);
  return { ...envelope, data: { ...envelope.data, folder: isChosen ? "chosen" : "other" } };
}
