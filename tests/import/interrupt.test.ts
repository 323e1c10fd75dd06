import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { writeLooping } from "../../testing/cli/looping.ts";
import { BIN, MAIN } from "../../testing/cli/program.ts";
import { writeMbox } from "../../testing/files/mbox.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-interrupt-"));
after(() => rmSync(folder, { recursive: true }));

const spend = join(folder, "spend.csv");
writeFileSync(spend, "id,what,paid_on\n1,tea,2026-03-01\n2,rice,2026-03-02\n");

test("R75 an interrupt ends even an import that blocks the event loop", async (t) => {
  const busy = join(folder, "busy.mjs");
  writeFileSync(
    busy,
    `if (/main\\.[tj]s$/.test(process.argv[1])) {
      const write = process.stdout.write.bind(process.stdout);
      process.stdout.write = (text, ...rest) => {
        write(text, ...rest);
        if (String(text).includes("into the connection")) for (;;);
      };
    }`,
  );
  const RUNGS_HOME = join(folder, "busy-home");
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const program = spawn(process.execPath, [BIN, "import", spend], {
      env: { PATH: process.env.PATH, RUNGS_HOME, NODE_OPTIONS: `--import=${pathToFileURL(busy)}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    t.after(() => program.kill("SIGKILL"));
    let err = "";
    program.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const ended = once(program, "close");
    await once(program.stdout, "data");
    program.kill(signal);
    assert.deepEqual([(await ended)[0], /Interrupted\. What was stored stays/.test(err)], [1, true]);
  }
  assert.match((await rungsHere(["import", spend], { RUNGS_HOME })).out, /2 added/);
});

test("R75 Ctrl-C finishes the batch and says how to resume, and the next run resumes", async (t) => {
  const mbox = join(folder, "long.mbox");
  writeMbox(mbox, { bytes: 3_000_000 });
  const RUNGS_HOME = join(folder, "stopped");
  const program = spawn(process.execPath, ["--conditions=rungs-source", MAIN, "import", mbox], {
    env: { PATH: process.env.PATH, RUNGS_HOME },
  });
  t.after(() => program.kill("SIGKILL"));
  let out = "";
  program.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const ended = once(program, "close");
  // The first line is printed before anything is read.
  await once(program.stdout, "data");
  program.kill("SIGINT");
  const [code] = await ended;
  assert.equal(code, 1);
  assert.match(out, /\d+ added, .*\nStopped\. Run the same command again to resume\.\n$/);
  const { out: rest } = await rungsHere(["import", mbox, "--json"], { RUNGS_HOME });
  const { is_resumed, is_finished, added } = JSON.parse(rest);
  // An import that was stopped before its first item has nothing to resume.
  const stored = Number(/(\d+) added/.exec(out)?.[1]);
  assert.deepEqual([is_resumed, is_finished], [stored > 0, true]);
  assert.ok(added > stored);
});

const looping = writeLooping(folder);

async function importLooping(files: Readonly<Record<string, readonly object[]>>) {
  const exported = mkdtempSync(join(folder, "looping-"));
  mkdirSync(join(exported, "more"));
  for (const [name, rows] of Object.entries(files)) writeFileSync(join(exported, name), JSON.stringify(rows));
  const program = spawn(process.execPath, [BIN, "import", exported, "--json"], {
    env: {
      PATH: process.env.PATH,
      RUNGS_HOME: `${exported}-home`,
      NODE_OPTIONS: `--import=${pathToFileURL(looping)}`,
      RUNGS_IMPORT_ITEM_SECONDS: "2",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  after(() => program.kill("SIGKILL"));
  const [out, err] = await Promise.all([text(program.stdout), text(program.stderr)]);
  const result = JSON.parse(out || "{}");
  const imports: readonly Imported[] = result.imports ?? [result];
  const reasons = imports.flatMap(({ rejections }) =>
    rejections.map(({ place, message }) => [place, message]),
  );
  return { added: imports.reduce((sum, each) => sum + each.added, 0), reasons, err };
}

interface Imported {
  readonly added: number;
  readonly rejections: readonly { readonly place: string; readonly message: string }[];
}

const talk = (uuid: string, name = "Tea") => ({
  uuid,
  name,
  created_at: "2026-03-01T10:00:00Z",
  chat_messages: [],
});

test("R75 an item that never finishes is reported; the items before it and the other files are stored", async () => {
  const many = Array.from({ length: 1300 }, (_, at) => talk(`a${at}`));
  const { added, reasons, err } = await importLooping({
    "conversations.json": [...many, talk("x", "read for ever"), talk("never")],
    "more/conversations.json": [talk("b")],
  });
  const reason =
    "Reading an item of this file took longer than 2 seconds. The rest of the file was left out.";
  assert.deepEqual(reasons, [["conversations.json", reason]], err);
  assert.equal(added, 1301);
});

test("R75 a table whose inspection never finishes is reported, and the others are stored", async () => {
  const { added, reasons, err } = await importLooping({
    "a.json": [
      { id: "a1", what: "read for ever" },
      { id: "a2", what: "tea" },
    ],
    "b.json": [
      { id: "b1", what: "tea" },
      { id: "b2", what: "rice" },
    ],
  });
  assert.deepEqual(reasons, [["a.json", "Reading it took longer than 2 seconds. It was left out."]], err);
  assert.equal(added, 2);
});
