/**
 * `npm run bench ask -- --questions DIR [--mail MBOX]`: how often search finds the evidence for questions with known
 * answers, with parts of ranking switched off, compared with SQLite's FTS5. The caller provides the data sets, which
 * stay outside the repository.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireQuery } from "@rungs/evidence";
import type { RankingParts, Store } from "@rungs/store";
import { openSqlite } from "@rungs/store/sqlite";
import { type AskData, type AskQuestion, groupByConnection, readQuestions } from "./ask-data.ts";
import { type FtsAnswer, openFts5Questions } from "./ask-fts5.ts";
import { createKnownItems, type KnownItems } from "./ask-mail.ts";
import { measureVectors, writeChat } from "./ask-vectors.ts";
import { printTable, summarize, type Timing } from "./measure.ts";

const OWNER = "ask";
const HITS = 10;

/** The ids of the best hits, best first. */
type Answer = (question: AskQuestion) => Promise<readonly string[]> | readonly string[];

/** The measurements of one search mode. */
export interface Outcome {
  readonly recall5: number;
  readonly recall10: number;
  readonly hit10: number;
  readonly mrr: number;
  readonly empty: number;
  readonly timing: Timing;
}

/** Each row adds a part to the previous one. */
const steps: readonly (readonly [name: string, parts: Partial<RankingParts>])[] = [
  [
    "words",
    {
      word_frequency: false,
      forms: false,
      near_spellings: false,
      author: false,
      neighbours: false,
      meaning: false,
    },
  ],
  [
    "+ word frequency",
    { forms: false, near_spellings: false, author: false, neighbours: false, meaning: false },
  ],
  ["+ inflected forms", { near_spellings: false, author: false, neighbours: false, meaning: false }],
  ["+ near spellings", { author: false, neighbours: false, meaning: false }],
  ["+ the author named", { neighbours: false, meaning: false }],
  ["+ neighbours", { meaning: false }],
  ["+ meaning (default)", {}],
];

export async function benchAsk(folder: string, mail?: string): Promise<void> {
  const data = readQuestions(folder);
  const rows: string[][] = [];
  await measureWays(data, async (way, answer) => {
    rows.push([way, ...showOutcome(await measureAnswers(data.questions, answer))]);
  });
  const head = ["way", "recall@5", "recall@10", "hit@10", "MRR", "empty", "ms median / p95"];
  printTable(`Questions with known evidence: ${data.questions.length}, ten hits each`, head, rows);
  if (mail !== undefined) {
    const known = await createKnownItems(mail);
    await benchKnownItems(known);
    await benchVectors(data, mail, known.data);
  }
}

/** The cost that vectors add to an import of the conversations and of the mail. */
async function benchVectors(chat: AskData, mailbox: string, mail: AskData): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-ask-"));
  const rows = [
    ["conversations, as a WhatsApp export", ...(await measureVectors(writeChat(folder, chat), chat))],
    ["mail, as an mbox", ...(await measureVectors(mailbox, mail))],
  ];
  rmSync(folder, { recursive: true });
  printTable(
    "Vectors: what they add to an import",
    [
      "import",
      "records",
      "MB of text",
      "CPU ms without / with",
      "CPU, at most 1.20×",
      "size, at most 0.50× the text",
    ],
    rows,
  );
}

/** Known-item search in mail: the MRR of each kind of query. */
async function benchKnownItems({ data, kinds }: KnownItems): Promise<void> {
  const rows: string[][] = [];
  await measureWays(data, async (way, answer) => {
    const cells: string[] = [];
    for (const questions of Object.values(kinds))
      cells.push((await measureAnswers(questions, answer)).mrr.toFixed(3));
    rows.push([way, ...cells]);
  });
  const head = Object.entries(kinds).map(([kind, { length }]) => `${kind} (${length})`);
  printTable(
    `Known items in mail: MRR in ${data.records.length.toLocaleString("en")} messages`,
    ["way", ...head],
    rows,
  );
}

/** Runs `measure` for each search mode. */
export async function measureWays(
  data: AskData,
  measure: (way: string, answer: Answer) => Promise<void>,
): Promise<void> {
  const fts5 = openFts5Questions(data);
  const ways: Readonly<Record<string, FtsAnswer>> = {
    "FTS5 AND": fts5.all,
    "FTS5 OR": fts5.any,
    "FTS5 porter OR": fts5.anyStem,
  };
  for (const [way, answer] of Object.entries(ways)) await measure(way, answer);
  fts5.close();

  const home = mkdtempSync(join(tmpdir(), "rungs-ask-"));
  try {
    const file = join(home, "rungs.db");
    const filled = await openSqlite(file);
    await fillStore(filled, data);
    await filled.close();
    for (const [way, ranking] of steps) {
      const store = await openSqlite(file, { ranking });
      await measure(`Rungs: ${way}`, (question) => search(store, data, question));
      await store.close();
    }
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function fillStore(store: Store, { manifest, records }: AskData): Promise<void> {
  await store.putOwner(OWNER);
  await store.putManifest(OWNER, manifest);
  for (const [connection_id, envelopes] of groupByConnection(records)) {
    const { source, declaration_version } = manifest;
    await store.putConnection(OWNER, {
      connection_id,
      source_id: source.id,
      declaration_version,
      display_name: connection_id,
    });
    await store.ingest(OWNER, connection_id, envelopes);
  }
  await store.tidy(OWNER);
}

async function search(
  store: Store,
  { stream, fields }: AskData,
  { connection, question }: AskQuestion,
): Promise<string[]> {
  const scope = { owner_id: OWNER, streams: [{ connection_id: connection, stream, fields }] };
  const { hits } = await store.search(scope, { query: requireQuery(question), limit: HITS });
  return hits.map((hit) => hit.record_id);
}

/** Asks every question, and compares the answers with the evidence. */
export async function measureAnswers(questions: readonly AskQuestion[], answer: Answer): Promise<Outcome> {
  const sums = { recall5: 0, recall10: 0, hit10: 0, mrr: 0, empty: 0 };
  const times: number[] = [];
  for (const question of questions) {
    const start = performance.now();
    const ids = await answer(question);
    times.push(performance.now() - start);
    const evidence = new Set(question.evidence);
    const recall = (count: number) =>
      ids.slice(0, count).filter((id) => evidence.has(id)).length / evidence.size;
    const first = ids.findIndex((id) => evidence.has(id));
    sums.recall5 += recall(5);
    sums.recall10 += recall(10);
    sums.hit10 += recall(10) > 0 ? 1 : 0;
    sums.mrr += first < 0 ? 0 : 1 / (first + 1);
    sums.empty += ids.length === 0 ? 1 : 0;
  }
  const mean = (sum: number) => sum / questions.length;
  return {
    recall5: mean(sums.recall5),
    recall10: mean(sums.recall10),
    hit10: mean(sums.hit10),
    mrr: mean(sums.mrr),
    empty: mean(sums.empty),
    timing: summarize(times),
  };
}

function showOutcome({ recall5, recall10, hit10, mrr, empty, timing }: Outcome): string[] {
  return [
    ...[recall5, recall10, hit10, mrr].map((value) => value.toFixed(3)),
    `${(empty * 100).toFixed(1)} %`,
    `${timing.median.toFixed(1)} / ${timing.p95.toFixed(1)}`,
  ];
}
