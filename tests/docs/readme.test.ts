/** Runs the README's commands verbatim in a clean home. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { renderTerminal } from "../../scripts/docs-terminal.ts";
import { BIN, rungs, splitWords, start } from "../../testing/cli/program.ts";

const root = new URL("../../", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");
const lines = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) =>
  block.trim().split("\n"),
);
const MAIL = [
  "From ana@example.org Mon Jan  5 10:00:00 2026",
  "From: Ana <ana@example.org>",
  "To: Lars <lars@example.org>",
  "Subject: Lemons",
  "Date: Mon, 5 Jan 2026 10:00:00 +0000",
  "Message-ID: <1@example.org>",
  "",
  "Please bring lemons.",
  "",
  "",
].join("\n");

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "rungs-readme-"));
  writeFileSync(join(folder, "mail.mbox"), MAIL);
});
after(() => rmSync(folder, { recursive: true }));
const env = () => ({ HOME: folder, XDG_DATA_HOME: join(folder, "data") });

/** The program's output up to `words`, after which it is told to stop. */
async function runUntil(argv: readonly string[], words: RegExp) {
  const program = start(argv, env());
  const end = once(program, "close");
  let out = "";
  await new Promise<void>((resolve) => {
    program.stdout.on("data", (chunk: Buffer) => {
      out += chunk;
      if (words.test(out)) resolve();
    });
    void end.then(() => resolve());
  });
  program.kill("SIGINT");
  const [code] = await end;
  return { code, out };
}

test("R90 the first lines start the demo and the tests", async () => {
  assert.deepEqual(lines.slice(0, 2), ["npm ci && npm start", "npm ci && npm test"]);
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  assert.match(scripts.start, /packages\/cli\/src\/main\.ts demo$/);
  assert.match(scripts.test, /testing\/run\.ts$/);
  const { code, out } = await runUntil(["demo", "--port", "0"], /--print/);
  assert.deepEqual([code, /listens on http/.test(out)], [0, true], out);
});

test("the picture shows the transcript", () => {
  const [, transcript = ""] = /```console\n([\s\S]*?)\n```/.exec(readme) ?? [];
  assert.equal(readFileSync(new URL("docs/ladder.svg", root), "utf8"), renderTerminal(transcript));
});

test("R90 the ladder's first search works as printed, in another terminal beside the demo", async () => {
  const search = /^\$ npx rungs (search '.*) --limit 1$/m.exec(readme)?.[1] ?? "";
  const home = join(folder, "second");
  const program = start(["demo", "--port", "0"], { HOME: home });
  const end = once(program, "close");
  try {
    await new Promise<void>((resolve) => {
      let out = "";
      program.stdout.on("data", (chunk: Buffer) => {
        out += chunk;
        if (/--print/.test(out)) resolve();
      });
    });
    const script = `exec "${process.execPath}" "${BIN}" ${search}`;
    const env = { HOME: home, PATH: process.env.PATH ?? "" };
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { env });
    assert.match(stdout, /^mail-home\/messages:m-0098\n.*⟦spare key⟧/);
  } finally {
    program.kill("SIGINT");
    await end;
  }
});

test("every other line does what the README says, one after another in a new home", async () => {
  let connection = "";
  const ran: string[] = [];
  for (const line of lines.slice(2)) {
    const [npx, program, ...words] = splitWords(line.replaceAll('"', "'"));
    assert.deepEqual([npx, program], ["npx", "rungs"], line);
    const argv = words.map((word) =>
      word
        .replace("PATH", join(folder, "mail.mbox"))
        .replace("CONNECTION", connection)
        .replace(/^examples\//, `${join(import.meta.dirname, "../../examples")}/`),
    );
    if (argv[0] === "serve") {
      assert.equal((await runUntil([...argv, "--port", "0"], /listens on/)).code, 0);
    } else {
      const { code, out, err } = await rungs([...argv, "--json"], env());
      assert.equal(code, 0, `${line}: ${err}`);
      if (argv[0] === "connections") connection = JSON.parse(out).connections[0].connection_id;
      if (argv[0] === "grant") assert.match(JSON.parse(out).token, /^\S{20,}$/);
    }
    ran.push(argv[0] ?? "");
  }
  assert.deepEqual(ran, ["import", "connections", "grant", "serve", "import", "grant"]);
});
