/** `rungs sync` with a connector that the owner installed. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { start } from "../../testing/cli/program.ts";
import { installConnector } from "../../testing/connector/connector-world.ts";
import { connectorManifest } from "../../testing/connector/manifest.ts";
import { until } from "../../testing/until.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-connector-cli-"));
const env = { RUNGS_HOME: join(folder, "home"), KEY: "hunter2" };
after(() => rmSync(folder, { recursive: true, force: true }));

const rungs = (...argv: string[]) => rungsHere(argv, env);
const env_names = ["TUNES_KEY", "TUNES_SECRET"];
const manifest = {
  ...connectorManifest,
  setup: { credential_capture: { fields: [{ name: "key", secret: true, env: env_names }] } },
};

test("R78 a connector is added with its program and its secret, asks while it runs, and is answered", async (t) => {
  const { command } = installConnector(
    folder,
    `send({ type: "SKIP_RESULT", stream: "lists", reason: "rate_limited", message: "Too many calls" });
     send({ type: "INTERACTION", request_id: "r", kind: "otp", message: "Which region?",
       schema: { properties: { region: { type: "string" } }, required: ["region"] } });
     const { data } = await answer();
     const { TUNES_KEY, TUNES_SECRET, GENRE } = process.env;
     if ([TUNES_KEY, TUNES_SECRET, GENRE, data.region].join() !== "hunter2,hunter2,tango,north") process.exit(9);
     record("plays", "1", { title: "A tango" });
     done();`,
    manifest,
  );
  const program = command.flatMap((word) => ["--program", word]);
  const options = ["--id", "tunes", "--password-env", "KEY", "--variable", "GENRE=tango"];
  const added = await rungs("sync", "add", "connector", join(folder, "tunes.json"), ...program, ...options);
  assert.match(
    added.out,
    /^Added tunes: tunes at any host that the connector chooses, into the connection tunes\./,
  );
  assert.match((await rungs("sync", "answer", "tunes")).err, /has no pending question/);
  const running = start(["sync", "run", "tunes"], env);
  t.after(() => running.kill("SIGKILL"));
  const asks = /tunes asks: Which region\? Answer it with rungs sync answer tunes\./;
  await until(async () => asks.test((await rungs("sync", "list")).out));
  assert.match((await rungs("sync", "answer", "tunes", "--set", "region=north")).err, /region is secret/);
  const answering = start(["sync", "answer", "tunes", "--answer-stdin"], env);
  t.after(() => answering.kill("SIGKILL"));
  answering.stdin?.end('{"region":"north"}');
  await new Promise((resolve) => running.once("exit", resolve));
  assert.match(
    (await rungs("sync", "log", "tunes")).out,
    /done +1 .*lists was skipped \(rate_limited\)\. Too many calls/s,
  );
});

test("a connector without a program, and a missing one, are refused with a clear message", async () => {
  const manifest = join(folder, "tunes.json");
  assert.match((await rungs("sync", "add", "connector", manifest)).err, /--program/);
  const missing = ["sync", "add", "connector", join(folder, "no.json"), "--program", "node"];
  assert.match((await rungs(...missing)).err, /no\.json cannot be read/);
});
