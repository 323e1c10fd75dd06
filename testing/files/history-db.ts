/** The databases in which browsers keep their history, by file name, each with two visits of 2024-03-01. */
import { makeDatabase } from "./database.ts";

const schemas: Readonly<Record<string, string>> = {
  History:
    "CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT); CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER); INSERT INTO urls VALUES (1, 'https://a.example/', 'A'); INSERT INTO visits VALUES (1, 1, 13353757200000000), (2, 1, 13353757201000000)",
  "places.sqlite":
    "CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url TEXT, title TEXT); CREATE TABLE moz_historyvisits(id INTEGER PRIMARY KEY, place_id INTEGER, visit_date INTEGER); INSERT INTO moz_places VALUES (1, 'https://a.example/', 'A'); INSERT INTO moz_historyvisits VALUES (1, 1, 1709283600000000), (2, 1, 1709283601000000)",
  "History.db":
    "CREATE TABLE history_items(id INTEGER PRIMARY KEY, url TEXT); CREATE TABLE history_visits(id INTEGER PRIMARY KEY, history_item INTEGER, visit_time REAL, title TEXT); INSERT INTO history_items VALUES (1, 'https://a.example/'); INSERT INTO history_visits VALUES (1, 1, 730976400, 'A'), (2, 1, 730976401, 'A')",
};

export function makeHistoryDatabases(): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      makeDatabase((database) => database.exec(schema)),
    ]),
  );
}
