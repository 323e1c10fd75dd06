import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { exampleManifest } from "@rungs/contract";
import { openSqlite } from "@rungs/store/sqlite";
import { createTestDatabase } from "../../../testing/postgres.ts";
import { commands } from "./commands/index.ts";
import { run } from "./run.ts";

let folder: string;
const home = () => join(folder, "home");
const manifest = () => join(folder, "manifest.json");
const records = () => join(folder, "records.ndjson");

before(() => {
  folder = mkdtempSync(join(tmpdir(), "rungs-cli-"));
  writeFileSync(manifest(), JSON.stringify(exampleManifest));
  const line = (id: string) =>
    JSON.stringify({
      stream: "messages",
      key: id,
      emitted_at: "2026-05-01T00:00:00Z",
      data: { id, subject: `Tea ${id}`, sent_at: "2026-04-01T00:00:00Z" },
    });
  writeFileSync(records(), [line("m1"), "not json", line("m2")].join("\n"));
});
after(() => rmSync(folder, { recursive: true }));

async function rungs(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
    env: { RUNGS_HOME: home() },
  };
  const code = await run(argv, io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

const bring = (...more: string[]) =>
  rungs("import", records(), "--as", "records", "--manifest", manifest(), "--connection", "home", ...more);

test("help lists every command, and every command has its own help", async () => {
  const { code, out } = await rungs("--help");
  assert.equal(code, 0);
  for (const { name, about, load } of commands) {
    const { options = {} } = await load();
    assert.ok(out.includes(name) && out.includes(about), name);
    const help = await rungs(...name.split(" "), "--help");
    assert.equal(help.code, 0);
    for (const option of [...Object.keys(options), "home", "database", "json"])
      assert.ok(help.out.includes(`--${option}`), `${name} ${option}`);
  }
});

test("import stores records, reports the counts, and is idempotent", async () => {
  const first = await bring("--label", "Home mail");
  assert.deepEqual([first.code, first.out], [0, "2 added, 0 changed, 0 unchanged, 0 deleted, 1 rejected"]);
  assert.equal(first.err, "line 2: invalid_record: The line is not JSON.");
  const again = await bring("--json");
  const { added, unchanged, connection_id } = JSON.parse(again.out);
  assert.deepEqual([added, unchanged, connection_id], [0, 2, "home"]);
  const { out } = await rungs("connections");
  assert.match(out, /home +Home mail +messages +2 +2026-04-01 +2026-04-01/);
  assert.equal(statSync(home()).mode & 0o777, 0o700);
});

test("a grant is created, listed, shown, used up and revoked; its token is printed once and not stored", async () => {
  const made = await rungs(
    "grant",
    "create",
    "--client",
    "agent",
    "--allow",
    "home/messages:subject",
    "--since",
    "2026-01-01",
    "--record",
    "m1",
    "--record",
    "home/messages:m2",
    "--expires",
    "30d",
    "--json",
  );
  assert.equal(made.code, 0);
  const { grant, token } = JSON.parse(made.out);
  const [stream] = grant.authorization_details[0].streams;
  assert.deepEqual(
    [stream.fields, stream.resources],
    [
      ["id", "subject"],
      ["m1", "m2"],
    ],
  );
  assert.equal(stream.time_constraint.since, "2026-01-01T00:00:00.000Z");
  assert.match((await rungs("grant", "list")).out, new RegExp(`${grant.grant_id} +agent .*active until`));
  assert.match(
    (await rungs("grant", "show", grant.grant_id)).out,
    /home\/messages: id, subject; since .*; 2 records/,
  );
  assert.equal((await rungs("grant", "revoke", grant.grant_id)).out, `${grant.grant_id} is revoked.`);
  assert.equal((await rungs("grant", "revoke", grant.grant_id)).out, `${grant.grant_id} was revoked before.`);
  assert.match((await rungs("grant", "list")).out, /revoked/);
  assert.ok(!readFileSync(join(home(), "rungs.db")).includes(token));
});

test("a grant takes every stream, several streams, or a file of authorization details", async () => {
  const every = JSON.parse(
    (await rungs("grant", "create", "--client", "a", "--allow", "home/*", "--single-use", "--json")).out,
  );
  assert.deepEqual(
    [every.grant.access_mode, every.grant.authorization_details[0].streams.length],
    ["single_use", 2],
  );
  const two = JSON.parse(
    (
      await rungs(
        "grant",
        "create",
        "--client",
        "a",
        "--allow",
        "home/messages",
        "--allow",
        "home/labels:name",
        "--json",
      )
    ).out,
  );
  assert.equal(two.grant.authorization_details.length, 2);
  const file = join(folder, "details.json");
  writeFileSync(
    file,
    JSON.stringify([
      {
        type: "https://pdpp.dev/data-access",
        source: exampleManifest.source,
        purpose_code: "https://x.example/p",
        access_mode: "continuous",
        selection_preset: "headers",
      },
    ]),
  );
  const preset = JSON.parse((await rungs("grant", "create", "--client", "a", "--file", file, "--json")).out);
  assert.equal(preset.grant.authorization_details[0].selection_preset, "headers");
});

test("an error is one sentence, with its exit code", async () => {
  for (const [argv, code, words] of [
    [["nothing"], 2, /no command nothing/],
    [["grant", "nothing"], 2, /no command grant nothing/],
    [["grant", "show"], 2, /takes ID/],
    [["grant", "show", "nowhere"], 1, /no such grant/],
    [["grant", "create", "--client", "a"], 2, /--allow is required/],
    [["grant", "create", "--allow", "home/messages"], 2, /--client is required/],
    [["grant", "create", "--client", "a", "--allow", "home"], 2, /--allow takes/],
    [["grant", "create", "--client", "a", "--allow", "nowhere/x"], 2, /no connection nowhere/],
    [["grant", "create", "--client", "a", "--allow", "home/nothing"], 1, /not a stream/],
    [["grant", "create", "--client", "a", "--allow", "home/messages:nothing"], 1, /not a field/],
    [
      ["grant", "create", "--client", "a", "--allow", "home/messages", "--expires", "soon"],
      2,
      /--expires takes/,
    ],
    [
      ["grant", "create", "--client", "a", "--allow", "home/messages", "--expires", "999999w"],
      2,
      /up to a hundred years/,
    ],
    [["connections", "--colour"], 2, /colour/],
    [
      ["import", "nowhere", "--as", "records", "--manifest", "nowhere", "--connection", "x"],
      2,
      /cannot be read/,
    ],
    [["serve", "--port", "high"], 2, /--port takes/],
    [["audit", "--since", "whenever"], 2, /--since takes/],
    [["connections", "--database", "postgres://nobody@127.0.0.1:1/none"], 4, /cannot be opened/],
    [["connections", "--database", join("/nowhere", "at", "all.db")], 1, /no database at/],
    [["login-link", "--database", join("/nowhere", "at", "all.db")], 4, /cannot be opened/],
  ] as const) {
    const answer = await rungs(...argv);
    assert.equal(answer.code, code, `${argv.join(" ")}: ${answer.err}`);
    assert.match(answer.err, words);
    assert.ok(answer.err.startsWith("rungs: ") && !answer.err.includes("\n"), answer.err);
  }
});

test("a database of a newer version is left untouched", async () => {
  const file = join(folder, "newer.db");
  await (await openSqlite(file)).close();
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 999");
  database.close();
  const { code, err } = await rungs("connections", "--database", `sqlite:${file}`);
  assert.deepEqual([code, /newer version/.test(err)], [1, true]);
});

test("a port in use is reported, and the database is closed again", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { code, err } = await rungs("serve", "--port", String(port));
  assert.deepEqual([code, err.includes(`Port ${port} is in use`)], [1, true]);
  other.close();
});

/** Runs the program as people do. */
function start(...argv: string[]) {
  const bin = fileURLToPath(new URL("../bin/rungs.js", import.meta.url));
  return spawn(process.execPath, [bin, ...argv], { env: { ...process.env, RUNGS_HOME: home() } });
}

async function serveAndStop(...more: string[]): Promise<void> {
  const program = start("serve", "--port", "0", "--json", ...more);
  let err = "";
  program.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const [line] = (await once(program.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString());
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  const refused = await fetch(`${url}/v1/schema`);
  assert.equal(refused.status, 401);
  program.kill("SIGTERM");
  const [code] = await once(program, "exit");
  assert.equal(code, 0, err);
  const [health, schema] = err
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  assert.deepEqual([health.operation, health.status, schema.code], ["healthz", 200, "missing_token"]);
}

test("serve runs on SQLite with no configuration until it is stopped", () => serveAndStop());

test("a draining server says so at /readyz and keeps answering until its time is up", async () => {
  const program = start("serve", "--port", "0", "--json", "--drain", "5");
  const [line] = (await once(program.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString());
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const ended = once(program, "exit");
  program.kill("SIGTERM");
  while ((await fetch(`${url}/readyz`)).status === 200);
  const { error } = (await (await fetch(`${url}/readyz`)).json()) as { error: { code: string } };
  assert.equal(error.code, "draining");
  for (const path of ["/livez", "/healthz"]) assert.equal((await fetch(url + path)).status, 200);
  assert.equal((await ended)[0], 0);
});

test("serve runs on PostgreSQL", async () => {
  const database = await createTestDatabase();
  await serveAndStop("--database", database.url);
  await database.drop();
});
