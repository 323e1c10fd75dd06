import { DatabaseSync } from "node:sqlite";
import type { DatabasePlace } from "../home/database.ts";
import { type Finding, fine, wrong } from "./finding.ts";

/** Lets SQLite look through its own file, without changing it. */
export function checkFile(place: DatabasePlace): Finding[] {
  if (place.kind === "postgres") return [];
  const database = new DatabaseSync(place.file, { readOnly: true });
  try {
    const { user_version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    const { quick_check } = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
    if (quick_check === "ok") return [fine("file", `${place.file} is sound, schema version ${user_version}`)];
    return [wrong("file", `${place.file} is damaged: ${quick_check}`, "Put the last backup in its place")];
  } finally {
    database.close();
  }
}
