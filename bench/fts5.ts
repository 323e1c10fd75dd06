/** The baseline search with SQLite: a table of rows and an FTS5 index. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { BenchRecord } from "./corpus.ts";

export interface Fts5 {
  insert(batch: readonly BenchRecord[]): void;
  /** The ids of the best, best first. */
  search(query: string, limit: number): string[];
  /** The same with row and snippet, which is closer to a search with evidence. */
  searchWithSnippets(query: string, limit: number): unknown[];
  close(): void;
}

export function openFts5(): Fts5 {
  const folder = mkdtempSync(join(tmpdir(), "rungs-fts5-"));
  const database = new DatabaseSync(join(folder, "fts5.db"));
  database.exec(`
    PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 1073741824;
    CREATE TABLE records (number INTEGER PRIMARY KEY, id TEXT UNIQUE, data TEXT);
    CREATE VIRTUAL TABLE texts USING fts5(subject, body)`);
  const insertRecord = database.prepare("INSERT INTO records (id, data) VALUES (?, ?)");
  const insertText = database.prepare("INSERT INTO texts (rowid, subject, body) VALUES (?, ?, ?)");
  const search = database.prepare(
    "SELECT rowid, bm25(texts) AS score FROM texts WHERE texts MATCH ? ORDER BY score LIMIT ?",
  );
  const withSnippet = database.prepare(
    "SELECT rowid, bm25(texts) AS score, snippet(texts, -1, '[', ']', '…', 40) AS snippet FROM texts WHERE texts MATCH ? ORDER BY score LIMIT ?",
  );
  const rowOf = database.prepare("SELECT id, data FROM records WHERE number = ?");
  const idOf = database.prepare("SELECT id FROM records WHERE number = ?");
  return {
    insert(batch) {
      database.exec("BEGIN");
      for (const record of batch) {
        const { lastInsertRowid } = insertRecord.run(record.id, JSON.stringify(record));
        insertText.run(lastInsertRowid, record.subject, record.body);
      }
      database.exec("COMMIT");
    },
    search: (query, limit) =>
      search.all(query, limit).map((row) => (idOf.get(row.rowid as number) as { id: string }).id),
    searchWithSnippets: (query, limit) =>
      withSnippet.all(query, limit).map((row) => {
        const { data } = rowOf.get(row.rowid as number) as { data: string };
        return { record: JSON.parse(data), snippet: row.snippet };
      }),
    close() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}
