import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Host, hosts } from "./hosts.ts";
import { RUNGS } from "./ladder/climb.ts";
import { driveHost } from "./ladder/drive.ts";
import { openMailbox } from "./ladder/mailbox.ts";
import { samples } from "./ladder/samples.ts";
import { findHalves, readResults } from "./ladder/seen.ts";
import { renderTable, replaceTable } from "./ladder/table.ts";

const PAGE = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8");

/** A host that shows its model the first `limit` characters of an answer's text. */
const createFake = (limit: number): Host => ({
  name: "Cursor",
  package: "fake",
  version: "1.0.0",
  program: process.execPath,
  argv: (model_url) => [
    fileURLToPath(new URL("ladder/fake-host.ts", import.meta.url)),
    model_url,
    String(limit),
  ],
  env: () => ({}),
  files: (printed) => ({ "mcp.json": printed }),
});

test("R43 a host that passes everything through climbs the ladder; one that truncates does not", async (t) => {
  const mailbox = await openMailbox();
  t.after(() => mailbox.close());
  const drive = (limit: number) => driveHost(createFake(limit), { bin: "", mailbox, transport: "HTTP" });
  const whole = await drive(20_000);
  assert.deepEqual(whole.halves, { text: true, structured: false });
  assert.deepEqual(
    whole.steps,
    samples.flatMap(({ name: sample }) => RUNGS.map((rung) => ({ sample, rung }))),
  );
  assert.ok(whole.largest_bytes > 5_000 && whole.largest_bytes <= 18_000, `${whole.largest_bytes}`);
  const cut = await drive(2_000);
  const problems = cut.steps.filter(({ problem }) => problem !== undefined);
  assert.deepEqual(
    problems.filter(({ rung }) => rung === "window").map(({ sample }) => sample),
    samples.map(({ name }) => name),
  );
  assert.match(problems[0]?.problem ?? "", /^read_record_field of \d+ bytes is not whole for the model/);
  assert.match(renderTable([cut], new Date(0)), /\| window, CJK \| \*\*not HTTP\*\* \|/);
});

test("an answer counts as seen only if one of its halves is whole", () => {
  const result = { content: [{ type: "text", text: "鷹 one\ntwo" }], structuredContent: { a: "鷹", b: [1] } };
  const sent = `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n{"id":2,"result":{}}\n`;
  assert.deepEqual(readResults(sent), [result]);
  const both = { text: true, structured: true };
  const cases = [
    [{ output: "<x>\n鷹 one\ntwo\n</x>" }, { text: true, structured: false }],
    ['Output:\n{"a":"鷹","b":[1]}', { text: false, structured: true }],
    [[{ type: "text", text: '鷹 one\ntwo\n\n{"a":"鷹","b":[1]}' }], both],
    ["鷹 one\n[1 line cut]", { text: false, structured: false }],
    ['{"a":"鷹","b":[…', { text: false, structured: false }],
    [undefined, { text: false, structured: false }],
  ] as const;
  for (const [seen, halves] of cases) assert.deepEqual(findHalves(seen, result), halves);
});

test("docs/agents.md has the table of these hosts in these versions, without a failed step", () => {
  const header = `| | ${hosts.map(({ name, version }) => `${name} ${version}`).join(" | ")} |`;
  assert.ok(PAGE.includes(header), `run npm run hosts: docs/agents.md lacks ${header}`);
  assert.doesNotMatch(PAGE, /\*\*not (?:stdio|HTTP)\*\*/);
  const steps = samples.flatMap(({ name }) => RUNGS.map((rung) => `| ${rung}, ${name} |`));
  for (const step of steps) assert.ok(PAGE.includes(step), step);
  assert.ok(replaceTable(PAGE, "new").includes("-->\nnew\n<!--"));
});
