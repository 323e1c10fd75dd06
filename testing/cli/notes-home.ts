/** A home with a few notes and a grant to read them, created with the owner's commands. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rungsHere } from "./in-process.ts";
import type { Env } from "./program.ts";

export interface NotesHome {
  readonly folder: string;
  /** For the client: the home and the token of its grant. */
  readonly env: Env;
  remove(): void;
}

const EXAMPLES = new URL("../../examples/notes/", import.meta.url);

/** Text with terminal control sequences. */
export const HOSTILE = "bell \u0007 and \u001b[31mred\u001b[0m and\r\nback\rspace \u009b2J";

export async function createNotesHome(): Promise<NotesHome> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-cli-"));
  const RUNGS_HOME = join(folder, "home");
  const records = join(folder, "records.ndjson");
  const manifest = new URL("manifest.json", EXAMPLES).pathname;
  const note = (id: string, text: string) =>
    JSON.stringify({ stream: "notes", key: id, emitted_at: "2026-06-01T00:00:00Z", data: { id, text } });
  const long = Array.from({ length: 500 }, (_, at) => `line ${at} of the log`).join("\n");
  const examples = readFileSync(new URL("records.ndjson", EXAMPLES), "utf8").trim();
  writeFileSync(records, [examples, note("hostile", HOSTILE), note("long", long)].join("\n"));
  const bring = ["import", records, "--as", "records", "--manifest", manifest, "--connection"];
  for (const connection of ["notes", "more"]) {
    assert.equal((await rungsHere([...bring, connection], { RUNGS_HOME })).code, 0);
  }
  const allow = [
    "--allow",
    "notes/notes:title,text,written_at",
    "--allow",
    "more/notes:title,text,written_at",
  ];
  const made = await rungsHere(["grant", "create", "--client", "shell", ...allow, "--json"], { RUNGS_HOME });
  const RUNGS_TOKEN: string = JSON.parse(made.out).token;
  return { folder, env: { RUNGS_HOME, RUNGS_TOKEN }, remove: () => rmSync(folder, { recursive: true }) };
}

/** A number of notes, as lines to import. */
export function manyNotes(count: number): string {
  const line = (_: unknown, at: number) =>
    JSON.stringify({
      stream: "notes",
      key: `many-${at}`,
      emitted_at: "2026-06-01T00:00:00Z",
      data: { id: `many-${at}`, text: `word${at} `.repeat(200) },
    });
  return Array.from({ length: count }, line).join("\n");
}
