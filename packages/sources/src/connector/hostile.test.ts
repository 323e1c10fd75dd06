import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { installConnector } from "../../../../testing/connector/connector-world.ts";
import type { SourceChange, SourceTask } from "../live-source.ts";
import { connectorLimits } from "./limits.ts";
import { readConnector } from "./read-connector.ts";

/** Runs a connector with small limits until it fails; returns what was reported, and the failure. */
async function runHostile(
  t: TestContext,
  code: string,
  {
    limits = {},
    signal = new AbortController().signal,
    heard = () => undefined,
  }: { limits?: object; signal?: AbortSignal; heard?: () => void } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "rungs-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const work_folder = join(folder, "work");
  const task: SourceTask = {
    settings: installConnector(folder, code),
    secret: undefined,
    work_folder,
    signal,
    cursors: [],
    listItems: async function* () {},
    countItems: async () => 0,
    report: () => undefined,
    note: () => undefined,
    ask: async () => ({ kind: "timeout" }),
    putBlob: async () => assert.fail("no upload"),
    extractText: async () => assert.fail("no text"),
  };
  const changes: SourceChange[] = [];
  let failure = "";
  try {
    for await (const change of readConnector(task, { ...connectorLimits, ...limits })) {
      changes.push(change);
      heard();
    }
  } catch (error) {
    failure = (error as Error).message;
  }
  return { changes, failure, work_folder };
}

const HANG = "await new Promise((resolve) => setTimeout(resolve, 60_000));";

const CASES: Readonly<Record<string, readonly [code: string, limits: object, words: RegExp]>> = {
  "sends a line without end": [
    'for (;;) await new Promise((resolve) => process.stdout.write("x".repeat(65536), resolve));',
    { line_bytes: 1_000_000 },
    /longer than any message/,
  ],
  "sends a line that is too long": [
    `process.stdout.write("x".repeat(200_000) + "\\n"); ${HANG}`,
    { line_bytes: 100_000 },
    /longer than any message/,
  ],
  "sends garbage": [`process.stdout.write(Buffer.from([0, 255, 10, 10])); ${HANG}`, {}, /not JSON/],
  "sends JSON of another shape": [`send({ type: "RM" }); ${HANG}`, {}, /not a message/],
  "sends deep JSON": [
    `process.stdout.write('{"type":"RECORD","stream":"plays","data":' + "[".repeat(200_000) + "\\n"); ${HANG}`,
    {},
    /not JSON/,
  ],
  "is silent": [HANG, { silence_ms: 600 }, /stopped sending/],
  "never ends": [
    'for (;;) { send({ type: "PROGRESS", message: "x" }); await new Promise((resolve) => setTimeout(resolve, 5)); }',
    { run_ms: 1_200 },
    /exceeded the time limit of a run/,
  ],
  "does not end after it is done": [`done(); ${HANG}`, { exit_ms: 300 }, /did not exit/],
  "sends records without end": [
    'for (let n = 0; ; n += 1) { record("plays", String(n), {}); if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve)); }',
    { records: 5_000 },
    /records without end/,
  ],
  "sends a huge state": [
    `send({ type: "STATE", stream: "plays", cursor: { x: "y".repeat(5_000) } }); ${HANG}`,
    { state_chars: 1_000 },
    /state that is too large/,
  ],
  "cannot be started": ["}}}", {}, /in the middle/],
};

for (const [what, [code, limits, words]] of Object.entries(CASES))
  test(`a connector that ${what} is killed, and the message says so`, async (t) => {
    const { failure, changes } = await runHostile(t, code, { limits });
    assert.match(failure, words);
    assert.ok(changes.every(({ kind }) => kind === "record"));
  });

test("endless output on standard error leaves a bounded log", async (t) => {
  const code = 'for (let n = 0; n < 300; n += 1) process.stderr.write("noise ".repeat(1000)); done();';
  const { failure, work_folder } = await runHostile(t, code, { limits: { log_bytes: 10_000 } });
  assert.equal(failure, "");
  assert.equal(readFileSync(join(work_folder, "stderr.log")).length, 10_000);
});

const isLinux = process.platform === "linux";

test("a connector that exhausts memory is killed", { skip: !isLinux && "needs /proc" }, async (t) => {
  const code =
    "const held = []; for (;;) { held.push(Buffer.alloc(16_000_000, 1)); await new Promise((resolve) => setTimeout(resolve, 20)); }";
  const { failure } = await runHostile(t, code, { limits: { memory_bytes: 300_000_000 } });
  assert.match(failure, /memory/);
});

test("a fork bomb is killed with all its processes", {
  skip: !isLinux && "needs /proc",
}, async (t) => {
  const code = `
    const { spawn } = await import("node:child_process");
    record("plays", "1", { title: String(process.pid) });
    for (let n = 0; n < 40; n += 1) spawn("sleep", ["600"], { detached: n % 2 === 0, stdio: "ignore" });
    ${HANG}`;
  const { failure, changes } = await runHostile(t, code, { limits: { processes: 20 } });
  assert.match(failure, /process limit/);
  assertNoneLeft(changes);
});

test("a process that left the group of its connector ends with the run", {
  skip: !isLinux && "needs /proc",
}, async (t) => {
  const code = `
    const { spawn } = await import("node:child_process");
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    child.unref();
    record("plays", "1", { title: String(child.pid) });
    done(); process.exit(0);`;
  const { failure, changes } = await runHostile(t, code);
  assert.equal(failure, "");
  assertNoneLeft(changes);
});

test("R75 a run that is stopped ends its connector at once and stores no state", async (t) => {
  const end = new AbortController();
  const code = `send({ type: "STATE", stream: "plays", cursor: {} }); record("plays", "1", { title: String(process.pid) }); ${HANG}`;
  const { failure, changes } = await runHostile(t, code, { signal: end.signal, heard: () => end.abort() });
  assert.equal(failure, "");
  assert.ok(changes.every(({ kind }) => kind === "record"));
  assertNoneLeft(changes);
});

/** The record has the id of a process that must have ended; its new parent may not have reaped it yet. */
function assertNoneLeft(changes: readonly SourceChange[]): void {
  assert.equal(changes.length, 1);
  for (const change of changes) {
    const pid = change.kind === "record" ? Number(change.record.data?.title) : 0;
    assert.ok(pid > 0);
    if (isLinux) assert.equal(readCommandLine(pid), "");
    else assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  }
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
