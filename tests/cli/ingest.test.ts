/** `rungs ingest` and `rungs token write`: records of any program, by a pipe or by a file. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { type Ran, start } from "../../testing/cli/program.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/notes/", import.meta.url));
const MANIFEST = join(EXAMPLE, "manifest.json");
const folder = mkdtempSync(join(tmpdir(), "rungs-ingest-"));
const env = { RUNGS_HOME: join(folder, "home") };
after(() => rmSync(folder, { recursive: true }));

const rungs = (...argv: string[]) => rungsHere(argv, env);

/** Runs the program with text on its standard input. */
async function pipe(text: string, ...argv: string[]): Promise<Ran> {
  const program = start(argv, env);
  const [out, err]: [string[], string[]] = [[], []];
  program.stdout.on("data", (chunk) => out.push(String(chunk)));
  program.stderr.on("data", (chunk) => err.push(String(chunk)));
  program.stdin.end(text);
  const code = await new Promise<number>((resolve) => program.on("close", (status) => resolve(status ?? -1)));
  return { code, out: out.join(""), err: err.join("") };
}

test("R85 records arrive through a pipe, and the same lines again change nothing", async () => {
  const lines = readFileSync(join(EXAMPLE, "records.ndjson"), "utf8");
  const first = await pipe(lines, "ingest", "notes", "--manifest", MANIFEST, "--json");
  assert.deepEqual([first.code, JSON.parse(first.out).added], [0, 5], first.err);
  const again = await rungs("ingest", "notes", join(EXAMPLE, "records.ndjson"));
  assert.equal(again.out, "0 added, 0 changed, 5 unchanged, 0 deleted, 0 rejected");
});

test("lines without a stream need --stream; a refused line is reported, does not stop the others, and fails the command", async () => {
  const file = join(folder, "lines.ndjson");
  const data = { id: "new", title: "New" };
  const record = { type: "RECORD", key: "new", emitted_at: "2026-05-01T00:00:00Z", data };
  writeFileSync(file, `${JSON.stringify(record)}\n{}\n`);
  const refused = await rungs("ingest", "notes", file, "--json");
  assert.deepEqual([refused.code, JSON.parse(refused.out).rejected], [1, 2]);
  const taken = await rungs("ingest", "notes", file, "--stream", "notes");
  assert.deepEqual([taken.code, taken.out], [1, "1 added, 0 changed, 0 unchanged, 0 deleted, 1 rejected"]);
  assert.match(taken.err, /^line 2: invalid_record: /);
});

test("an unknown connection is refused with what to do, and a write token needs an existing one", async () => {
  const { code, err } = await rungs("ingest", "nowhere", join(EXAMPLE, "records.ndjson"));
  assert.notEqual(code, 0);
  assert.match(err, /connection/i);
  assert.match((await rungs("token", "write", "nowhere")).err, /connection/i);
  const { token } = JSON.parse((await rungs("token", "write", "notes", "--json")).out);
  assert.match(token, /^\S{20,}$/);
  const { tokens } = JSON.parse((await rungs("token", "list", "--json")).out);
  assert.deepEqual(
    tokens.map(({ kind, client_id }: { kind: string; client_id: string }) => [kind, client_id]),
    [["writer", "writer:notes"]],
  );
});
