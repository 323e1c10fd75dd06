/** The same questions, answered by SQLite's own full-text index: a table for each connection. */
import { DatabaseSync } from "node:sqlite";
import { listTerms } from "@rungs/evidence";
import { type AskData, type AskQuestion, groupByConnection } from "./ask-data.ts";

export type FtsAnswer = (question: AskQuestion) => string[];

export interface Fts5Questions {
  /** Every word must match. */
  readonly all: FtsAnswer;
  readonly any: FtsAnswer;
  /** Any word, with the porter stemmer. */
  readonly anyStem: FtsAnswer;
  close(): void;
}

const HITS = 10;

export function openFts5Questions({ searched, records }: AskData): Fts5Questions {
  const database = new DatabaseSync(":memory:");
  const columns = searched.map((_, at) => `field${at}`);
  const places = new Map<string, number>();
  for (const [connection, envelopes] of groupByConnection(records)) {
    const place = places.size;
    places.set(connection, place);
    for (const [table, tokenizer] of [
      [`plain${place}`, "unicode61"],
      [`porter${place}`, "porter unicode61"],
    ]) {
      database.exec(
        `CREATE VIRTUAL TABLE ${table} USING fts5(key UNINDEXED, ${columns.join(", ")}, tokenize = '${tokenizer}')`,
      );
      const insert = database.prepare(
        `INSERT INTO ${table} VALUES (?, ${columns.map(() => "?").join(", ")})`,
      );
      database.exec("BEGIN");
      for (const { key, data } of envelopes)
        insert.run(
          String(key),
          ...searched.map((field) => String((data as Record<string, unknown>)[field] ?? "")),
        );
      database.exec("COMMIT");
    }
  }
  const answer =
    (kind: "plain" | "porter", joiner: string): FtsAnswer =>
    ({ connection, question }) => {
      const place = places.get(connection);
      const words = [...new Set(listTerms(question).map(({ term }) => `"${term}"`))];
      if (place === undefined || words.length === 0) return [];
      const table = `${kind}${place}`;
      const rows = database
        .prepare(`SELECT key FROM ${table} WHERE ${table} MATCH ? ORDER BY rank LIMIT ${HITS}`)
        .all(words.join(joiner));
      return rows.map((row) => String(row.key));
    };
  return {
    all: answer("plain", " "),
    any: answer("plain", " OR "),
    anyStem: answer("porter", " OR "),
    close: () => database.close(),
  };
}
