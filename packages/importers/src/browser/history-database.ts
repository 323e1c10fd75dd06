/** The databases in which browsers keep their history: `History` of Chrome, `places.sqlite` of Firefox, `History.db` of Safari. */
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { type FoundVisit, toChromeTime, toTime } from "./found.ts";

/** Seconds between 1970 and 2001, where Safari's times begin. */
const SAFARI_EPOCH_S = 978_307_200;

interface HistoryForm {
  readonly name: string;
  readonly tables: readonly string[];
  /** Selects `number`, `url`, `title` and `time`, by number. */
  readonly query: string;
  toTime(time: number): string | undefined;
}

const forms: readonly HistoryForm[] = [
  {
    name: "Chrome",
    tables: ["urls", "visits"],
    query:
      "SELECT visits.id AS number, urls.url AS url, urls.title AS title, CAST(visits.visit_time AS REAL) AS time FROM visits JOIN urls ON urls.id = visits.url WHERE visits.id > ? ORDER BY visits.id",
    toTime: toChromeTime,
  },
  {
    name: "Firefox",
    tables: ["moz_places", "moz_historyvisits"],
    query:
      "SELECT v.id AS number, p.url AS url, p.title AS title, CAST(v.visit_date AS REAL) AS time FROM moz_historyvisits v JOIN moz_places p ON p.id = v.place_id WHERE v.id > ? ORDER BY v.id",
    toTime: (time) => toTime(time / 1000),
  },
  {
    name: "Safari",
    tables: ["history_items", "history_visits"],
    query:
      "SELECT v.id AS number, i.url AS url, v.title AS title, CAST(v.visit_time AS REAL) AS time FROM history_visits v JOIN history_items i ON i.id = v.history_item WHERE v.id > ? ORDER BY v.id",
    toTime: (time) => toTime((time + SAFARI_EPOCH_S) * 1000),
  },
];

const SQLITE = "SQLite format 3\0";

/** Whether a file is an SQLite database, by its first bytes. */
export function isDatabase(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 16)).toString("latin1") === SQLITE;
}

/** The browser whose history a database is; undefined for other files. */
export function detectHistory(disk_path: string): string | undefined {
  try {
    return withDatabase(disk_path, (database) => findForm(database)?.name);
  } catch {
    return undefined;
  }
}

/** A visit and its number in the database. */
export interface NumberedVisit extends FoundVisit {
  readonly number: number;
}

/** Lists at most `max` visits after number `done`; undefined if the database cannot be read. */
export function listVisits(disk_path: string, done: number, max: number): NumberedVisit[] | undefined {
  try {
    return withDatabase(disk_path, (database) => {
      const form = findForm(database);
      if (!form) return undefined;
      const rows = database.prepare(`${form.query} LIMIT ?`).all(done, max);
      return rows.map(({ number, url, title, time }) => ({
        kind: "visit",
        number: Number(number),
        url: String(url ?? ""),
        title: String(title ?? ""),
        visited_at: form.toTime(Number(time)),
      }));
    });
  } catch {
    return undefined;
  }
}

/** Opens a database without creating files beside it, even one that a browser did not close. */
function withDatabase<T>(disk_path: string, use: (database: DatabaseSync) => T): T {
  const address = pathToFileURL(disk_path);
  address.searchParams.set("immutable", "1");
  const database = new DatabaseSync(address, { readOnly: true, allowExtension: false });
  try {
    // The schema of an unknown file may not run functions.
    database.exec("PRAGMA trusted_schema = OFF");
    return use(database);
  } finally {
    database.close();
  }
}

function findForm(database: DatabaseSync): HistoryForm | undefined {
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const tables = new Set(rows.map(({ name }) => name));
  return forms.find((form) => form.tables.every((table) => tables.has(table)));
}
