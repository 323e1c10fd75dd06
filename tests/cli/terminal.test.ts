/** A terminal gets colours, progress and next steps, and Ctrl-C stops any command; a pipe gets no decoration. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createNotesHome, manyNotes, type NotesHome } from "../../testing/cli/notes-home.ts";
import { rungs, start } from "../../testing/cli/program.ts";
import { until } from "../../testing/until.ts";
import { CTRL_C, hasTerminal, runInTerminal } from "./pseudo-terminal.ts";

const BYTES = "slow bytes 0123456789";
const PIECE = 3;
const PAUSE_MS = 250;

let home: NotesHome;
let slow: Server;
before(async () => {
  home = await createNotesHome();
  slow = createServer(serveSlowly).listen(0, "127.0.0.1");
  await once(slow, "listening");
});
after(() => {
  slow.close();
  slow.closeAllConnections();
  home.remove();
});

/** Sends a file a few bytes at a time, from the requested offset. */
async function serveSlowly(...[request, response]: Parameters<Parameters<typeof createServer>[1] & object>) {
  const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
  response.writeHead(start > 0 ? 206 : 200, {
    "Content-Type": "text/plain",
    "Content-Length": BYTES.length - start,
    ...(start > 0 ? { "Content-Range": `bytes ${start}-${BYTES.length - 1}/${BYTES.length}` } : {}),
  });
  for (let at = start; at < BYTES.length; at += PIECE) {
    response.write(BYTES.slice(at, at + PIECE));
    await setTimeout(PAUSE_MS);
  }
  response.end();
}

const slowEnv = () => {
  const { port } = slow.address() as AddressInfo;
  return { ...home.env, RUNGS_URL: `http://127.0.0.1:${port}` };
};

describe("in a terminal", {
  concurrency: 2,
  skip: hasTerminal ? false : "there is no script of util-linux",
}, () => {
  test("answers have colours and the next step, unless NO_COLOR or a dumb terminal says otherwise", async () => {
    const painted = await runInTerminal(["search", "hojicha"], home.env);
    assert.ok(painted.screen.includes("<cyan>rungs fetch"));
    assert.ok(painted.screen.includes("<bold>⟦Hōjicha⟧<plain>"));
    const window = await runInTerminal(["read", "notes/notes:long", "text", "--limit", "100"], home.env);
    assert.match(window.screen, /next: <cyan>rungs read notes\/notes:long text --cursor [\w-]+<plain>/);
    for (const more of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const { screen } = await runInTerminal(["search", "hojicha"], { ...home.env, ...more });
      assert.ok(
        screen.includes("⟦Hōjicha⟧") && !/<cyan>|<bold>|\p{Cc}(?<!\n)/u.test(screen),
        JSON.stringify(more),
      );
    }
  });

  test("progress is shown on one line and erased at the end", async () => {
    const file = join(home.folder, "slow");
    const { code, screen } = await runInTerminal(["blob", "slow", "-o", file], slowEnv());
    assert.equal(code, 0, screen);
    assert.match(screen, /<clear>\d+ of 21 bytes<clear>/);
    assert.ok(screen.trimEnd().endsWith(`<clear>${file}: 21 bytes`), JSON.stringify(screen));
    assert.equal(readFileSync(file, "utf8"), BYTES);
  });

  test("a blob is not written to a terminal", async () => {
    const { screen } = await runInTerminal(["blob", "slow"], slowEnv());
    assert.match(screen, /slow \(text\/plain, 21 bytes\)\s+save: rungs blob slow --output FILE/);
    assert.ok(!screen.includes(BYTES));
  });

  test("Ctrl-C in a download prints one sentence, keeps the bytes received, and the same command resumes", async () => {
    const file = join(home.folder, "stopped");
    const argv = ["blob", "slow", "-o", file];
    const stopped = await runInTerminal(argv, slowEnv(), { when: /[69] of 21 bytes/, type: CTRL_C });
    assert.equal(stopped.code, 1, stopped.screen);
    assert.match(stopped.screen, /<clear>rungs: Interrupted\. Run the same command again to finish it\.\s*$/);
    assert.deepEqual([existsSync(file), existsSync(`${file}.part`)], [false, true]);
    const again = await rungs([...argv, "--json"], slowEnv());
    assert.ok(JSON.parse(again.out).resumed_bytes > 0, again.err);
    assert.equal(readFileSync(file, "utf8"), BYTES);
  });

  test("Ctrl-C stops a server gracefully", async () => {
    const argv = ["serve", "--port", "0"];
    const { code, screen } = await runInTerminal(argv, home.env, { when: /listens on/, type: CTRL_C });
    assert.deepEqual([code, screen.includes("Interrupted")], [0, false], screen);
  });
});

test("an interrupted import keeps what it wrote, and the same command finishes it", async () => {
  const records = join(home.folder, "many.ndjson");
  writeFileSync(records, manyNotes(6_000));
  const manifest = new URL("../../examples/notes/manifest.json", import.meta.url).pathname;
  const bring = ["import", records, "--as", "records", "--manifest", manifest, "--connection", "many"];
  const env = { RUNGS_HOME: join(home.folder, "interrupted") };
  const program = start(bring, env);
  const end = once(program, "close");
  let err = "";
  program.stderr.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  await until(() => existsSync(join(env.RUNGS_HOME, "rungs.db-wal")) || program.exitCode !== null);
  program.kill("SIGINT");
  const [code] = await end;
  assert.equal(code, 1, err);
  assert.match(err, /^rungs: [^\n]*again[^\n]*\n$/);
  const again = await rungs([...bring, "--json"], env);
  assert.equal(again.code, 0, again.err);
  const { added, unchanged } = JSON.parse(again.out);
  assert.equal(added + unchanged, 6_000);
  assert.ok(added > 0);
});

test("an interrupted export leaves no incomplete file, and says so in one sentence", async () => {
  const file = join(home.folder, "export.ndjson");
  const program = start(["export", "-o", file], slowEnv());
  let err = "";
  program.stderr.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  const end = once(program, "close");
  await until(() => existsSync(`${file}.part`) || program.exitCode !== null);
  program.kill("SIGINT");
  const [code] = await end;
  assert.deepEqual([code, existsSync(file)], [1, false], err);
  assert.equal(err, "rungs: Interrupted. Run the same command again to finish it.\n");
});

test("piped output has no control characters, whatever TERM says", async () => {
  for (const argv of [["search", "bell"], ["fetch", "notes/notes:hostile"], ["schema"], ["--help"]]) {
    const { code, out, err } = await rungs(argv, { ...home.env, TERM: "xterm-256color", FORCE_COLOR: "1" });
    assert.equal(code, 0, err);
    assert.doesNotMatch(out, /(?![\n\t])\p{Cc}/u, argv.join(" "));
  }
});
