import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { BIN, MAIN } from "../../testing/cli/program.ts";
import { writeMbox } from "../../testing/files/mbox.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-interrupt-"));
after(() => rmSync(folder, { recursive: true }));

const spend = join(folder, "spend.csv");
writeFileSync(spend, "id,what,paid_on\n1,tea,2026-03-01\n2,rice,2026-03-02\n");

test("R75 an import that is busy and hears nothing is ended by an interrupt", async (t) => {
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
