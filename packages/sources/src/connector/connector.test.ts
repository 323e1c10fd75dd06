import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createConnectorWorld } from "../../../../testing/connector/connector-world.ts";
import { connectorManifest } from "../../../../testing/connector/manifest.ts";
import { until } from "../../../../testing/until.ts";
import { answerSync, requireQuestion } from "../run/questions.ts";
import { listRuns } from "../run/sync-run.ts";
import { removeSync } from "../run/syncs.ts";

const TWO_PLAYS = `
record("plays", "1", { title: "Quince tango" });
record("plays", "2", { title: "Pear waltz" });
send({ type: "STATE", stream: "plays", cursor: { after: "2" } });
`;

test("a connector's records and state are stored, and its next run begins with that state", async (t) => {
  const world = await createConnectorWorld(t, `${TWO_PLAYS} done();`);
  const run = await world.run();
  assert.deepEqual([run.state, run.added, run.failure], ["done", 2, undefined]);
  assert.deepEqual(
    (await world.list()).map(({ title }) => title),
    ["Quince tango", "Pear waltz"],
  );
  assert.deepEqual(await world.cursors(), [{ collection: "plays", cursor: { after: "2" } }]);
  world.install(`
    record("lists", "start", { title: JSON.stringify([start.collection_mode, start.state, start.scope, start.bindings]) });
    record("plays", "1", undefined, { op: "delete", data: undefined });
    done();
  `);
  const next = await world.run();
  assert.deepEqual([next.state, next.added, next.deleted], ["done", 1, 1]);
  const [{ title } = {}] = await world.list("lists");
  assert.deepEqual(JSON.parse(String(title)), [
    "incremental",
    { plays: { after: "2" } },
    { streams: [{ name: "plays" }, { name: "lists" }] },
    { network: {}, interactive: {} },
  ]);
  assert.deepEqual(
    (await world.list()).map(({ id }) => id),
    ["2"],
  );
});

test("records in the same batch with the same key in two streams, twice, and wrong ones are each counted", async (t) => {
  const world = await createConnectorWorld(
    t,
    `record("plays", "1", { title: "Ä 日本語 🎵 ".repeat(1000) });
     record("lists", "1", { title: "list" });
     record("plays", "1", { title: "again" });
     record("plays", "2", { title: 7 });
     record("secret", "3", {});
     sent += 1; send({ type: "RECORD", stream: "plays", key: 4 });
     sent += 1; process.stdout.write('{"type":"RECORD","stream":"plays","key":"5","emitted_at":"2026-01-02T03:04:05Z","data":{"id":"5","file":' +
       '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000) + '}}\\n');
     done();`,
  );
  const run = await world.run();
  assert.deepEqual([run.failure, run.state, run.rejected], [undefined, "done", 4]);
  assert.deepEqual(
    [...(await world.list()), ...(await world.list("lists"))].map(({ title }) => title),
    ["again", "list"],
  );
});

test("R76 state is stored only after a successful run: not if it fails, ends in the middle, or miscounts", async (t) => {
  const world = await createConnectorWorld(t, `${TWO_PLAYS} done();`);
  const ends: readonly (readonly [string, string, RegExp])[] = [
    ["process.exit(3);", "source_broken", /ended in the middle \(status 3\)/],
    ["done({ records_emitted: 7 });", "source_broken", /counted 7 records and sent 2/],
    ['done(); send({ type: "PROGRESS", message: "more" });', "source_broken", /went on after/],
    ["done(); process.exitCode = 1;", "source_broken", /status contradicts/],
    ['done({ status: "cancelled" }); process.exitCode = 1;', "source_broken", /cancelled/],
    [
      'done({ status: "failed", error: { message: "Log in again", retryable: false, recovery_hint: "refresh_credentials" } }); process.exitCode = 1;',
      "source_refused",
      /Log in again/,
    ],
    [
      'done({ status: "failed", error: { message: "x", retryable: true, recovery_hint: {} } });',
      "source_broken",
      /Line/,
    ],
    ['send({ type: "STATE", stream: "other", cursor: {} }); done();', "source_broken", /state of a stream/],
  ];
  for (const [end, code, words] of ends) {
    world.install(`${TWO_PLAYS} ${end}`);
    const run = await world.run();
    assert.equal(run.state, "failed", end);
    assert.equal(run.failure?.code, code, end);
    assert.match(run.failure?.message ?? "", words);
    assert.deepEqual(await world.cursors(), [], end);
    assert.equal((await world.list()).length, 2, "the records stay");
  }
});

test("R76 a failed stream's checkpoint is withheld, and the others' are stored", async (t) => {
  const world = await createConnectorWorld(
    t,
    `send({ type: "STATE", stream: "plays", cursor: { at: 1 } });
     send({ type: "STATE", stream: "lists", cursor: { at: 1 } });
     send({ type: "SKIP_RESULT", stream: "lists", reason: "stream_collection_failed", message: "No lists today" });
     done({ status: "failed", error: { code: "stream_collection_failed", message: "lists", retryable: true } });
     process.exitCode = 1;`,
  );
  const run = await world.run();
  assert.deepEqual([run.state, run.failure?.code], ["failed", "source_unreachable"]);
  assert.deepEqual(run.notes, ["lists was skipped (stream_collection_failed). No lists today"]);
  assert.deepEqual(await world.cursors(), [{ collection: "plays", cursor: { at: 1 } }]);
});

test("R76 a parent's checkpoint is withheld while some of its details are unaccounted for", async (t) => {
  const manifest = structuredClone(connectorManifest) as { streams: object[] };
  manifest.streams[1] = {
    ...connectorManifest.streams[1],
    parent_streams: ["plays"],
    coverage_strategy: "parent_detail_accounting",
  };
  const cover = (gap: string) => `
    send({ type: "STATE", stream: "plays", cursor: { at: ${Date.now()} } });
    ${gap}
    send({ type: "DETAIL_COVERAGE", reference_only: true, stream: "lists", state_stream: "plays",
      required_keys: ["a", 2], hydrated_keys: ["a"], gap_keys: [2] });
    done();`;
  const world = await createConnectorWorld(t, cover(""), { manifest });
  assert.equal((await world.run()).state, "done");
  assert.deepEqual(await world.cursors(), [], "a gap that was not reported");
  world.install('send({ type: "STATE", stream: "plays", cursor: { at: 1 } }); done();', manifest);
  await world.run();
  assert.deepEqual(await world.cursors(), [], "no report at all");
  world.install(cover('send({ type: "DETAIL_GAP", stream: "lists", record_key: 2 });'), manifest);
  await world.run();
  assert.equal((await world.cursors()).length, 1);
});

test("R78 a connector inherits nothing, works in a folder that only the owner can read, and gets its secret", async (t) => {
  process.env.LEAKED_BY_A_TEST = "leak";
  t.after(() => delete process.env.LEAKED_BY_A_TEST);
  const world = await createConnectorWorld(
    t,
    `record("plays", "1", { title: JSON.stringify({ cwd: process.cwd(), env: process.env }) });
     console.error("a word for the log");
     done();`,
    { more: { variables: { REGION: "north" }, secret_variables: ["TUNES_KEY"] }, secret: "hunter2" },
  );
  assert.equal((await world.run()).state, "done");
  const { cwd, env } = JSON.parse(String((await world.list())[0]?.title));
  const { TUNES_KEY, REGION, HOME, TMPDIR } = env;
  assert.deepEqual(
    [cwd, HOME, REGION, TUNES_KEY],
    [world.work_folder, world.work_folder, "north", "hunter2"],
  );
  assert.equal(TMPDIR, join(world.work_folder, "tmp"));
  assert.deepEqual(
    Object.keys(env).filter(
      (name) => !/^(?:PATH|HOME|TMPDIR|LANG|REGION|TUNES_KEY|PDPP_.*|RUNGS_CONNECTOR_RUN)$/.test(name),
    ),
    [],
  );
  assert.equal(statSync(world.work_folder).mode & 0o077, 0);
  assert.equal(readFileSync(join(world.work_folder, "stderr.log"), "utf8"), "a word for the log\n");
  assert.ok(!JSON.stringify(await listRuns(world.context, world.sync_id)).includes("hunter2"));
  await removeSync(world.context, world.sync_id);
  assert.ok(!existsSync(world.work_folder));
});

test("a connector uploads a file with the token of its run, and nobody else can", async (t) => {
  const world = await createConnectorWorld(
    t,
    `const { PDPP_RS_URL: url, PDPP_OWNER_TOKEN: token } = process.env;
     const put = (path, authorization) => fetch(url + path, { method: "POST", body: "quince", headers: { authorization } });
     const answered = await put("/v1/blobs?mime_type=text/plain&stream=plays&record_key=1", "Bearer " + token);
     const { object, ...file } = await answered.json();
     const refused = [(await put("/v1/blobs", "Bearer no")).status, (await put("/v1/records", "Bearer " + token)).status];
     record("plays", "1", { title: JSON.stringify([answered.status, object, ...refused]), file });
     done();`,
  );
  const run = await world.run();
  assert.deepEqual([run.state, run.added, run.rejections], ["done", 1, []]);
  const [{ title, file } = {}] = await world.list();
  assert.deepEqual(JSON.parse(String(title)), [201, "blob", 401, 404]);
  const { blob_id, mime_type, size_bytes } = file as Record<string, unknown>;
  assert.deepEqual([typeof blob_id, mime_type, size_bytes], ["string", "text/plain", 6]);
});

test("R78 a connector asks, the run waits and shows the question, and the owner's answer reaches it sealed", async (t) => {
  const world = await createConnectorWorld(
    t,
    `send({ type: "PROGRESS", message: "Signing in\\nnow" });
     send({ type: "INTERACTION", request_id: "r1", kind: "otp", message: "The code, please",
       schema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] } });
     const given = await answer();
     record("plays", "1", { title: given.type + given.request_id + given.status + given.data.code });
     send({ type: "INTERACTION", request_id: "r2", kind: "manual_action", message: "Confirm", timeout_seconds: 0.1 });
     record("plays", "2", { title: (await answer()).status });
     done();`,
  );
  const running = world.run();
  await until(() => requireQuestion(world.context, world.sync_id).catch(() => undefined));
  const [log] = await listRuns(world.context, world.sync_id);
  assert.deepEqual([log?.progress?.message, log?.question?.message], ["Signing in now", "The code, please"]);
  assert.deepEqual(log?.question?.fields, [{ name: "code", is_secret: true, is_required: true }]);
  await assert.rejects(answerSync(world.context, world.sync_id, {}), /needs code/);
  await assert.rejects(
    answerSync(world.context, world.sync_id, { code: "1", more: "2" }),
    /more is not expected/,
  );
  await answerSync(world.context, world.sync_id, { code: "246810" });
  const run = await running;
  assert.deepEqual([run.state, run.question], ["done", undefined]);
  assert.deepEqual(
    (await world.list()).map(({ title }) => title),
    ["INTERACTION_RESPONSEr1success246810", "timeout"],
  );
  await assert.rejects(answerSync(world.context, world.sync_id, { code: "1" }), /has no pending question/);
});

test("a connector that needs a browser, or whose files are missing, is refused before it is started", async (t) => {
  const browser = {
    ...connectorManifest,
    runtime_requirements: { bindings: { browser: { required: true } } },
  };
  await assert.rejects(createConnectorWorld(t, "done();", { manifest: browser }), /needs browser/);
  await assert.rejects(createConnectorWorld(t, "done();", { more: { command: ["/nowhere/x"] } }), /nowhere/);
  await assert.rejects(
    createConnectorWorld(t, "done();", { more: { manifest: "/nowhere.json" } }),
    /cannot be read/,
  );
  await assert.rejects(
    createConnectorWorld(t, "done();", { more: { folders: ["none"] } }),
    /none of the named/,
  );
  for (const name of ["PATH", "LD_PRELOAD", "NODE_OPTIONS", "a b"])
    await assert.rejects(createConnectorWorld(t, "", { more: { variables: { [name]: "x" } } }), /variables/);
});
