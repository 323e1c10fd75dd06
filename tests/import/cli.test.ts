import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openSqlite } from "@rungs/store/sqlite";
import { prepareDemo } from "rungs/internal/demo";
import { run } from "rungs/internal/run";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createZip } from "../../testing/files/zip.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-import-"));
after(() => rmSync(folder, { recursive: true }));

let homes = 0;
function newHome() {
  homes += 1;
  const RUNGS_HOME = join(folder, `home-${homes}`);
  return (...argv: string[]) => rungsHere(argv, { RUNGS_HOME });
}

function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const spend = write("Ausgaben für März.csv", "id,what,paid_on\n1,tea,2026-03-01\n2,rice,2026-03-02\n");
const broken = write(
  "log.jsonl",
  Array.from({ length: 70 }, (_, at) => (at < 40 ? `{"id":"${at}"}` : "torn")).join("\n"),
);

test("a format is detected by its content, the connection is named after the file, and the next step is printed", async () => {
  const rungs = newHome();
  const first = await rungs("import", spend);
  assert.equal(first.code, 0, first.err);
  assert.deepEqual(first.out.split("\n"), [
    `${spend}: Table, into the connection table-ausgaben-fur-marz`,
    "Columns, as inferred (--manifest FILE overrides them; --dry-run --json prints a manifest to start from):",
    "  rows: id (integer, key), what (string), paid_on (date)",
    "2 added, 0 changed, 0 unchanged, 0 rejected",
    "Next: rungs grant create --client NAME --allow 'table-ausgaben-fur-marz/*'",
  ]);
  const again = await rungs("import", spend);
  assert.match(again.out, /0 added, 0 changed, 2 unchanged, 0 rejected/);
  const { out } = await rungs("connections");
  assert.match(
    out,
    /table-ausgaben-fur-marz +Table: Ausgaben für März\.csv +rows +2 +2026-03-01 +2026-03-02/,
  );
  const grant = await rungs("grant", "create", "--client", "a", "--allow", "table-ausgaben-fur-marz/*");
  assert.equal(grant.code, 0, grant.err);
});

test("a connection keeps its name on a second import, and --label and --connection choose others", async () => {
  const rungs = newHome();
  assert.equal((await rungs("import", spend, "--connection", "money", "--label", "Money")).code, 0);
  assert.equal((await rungs("import", spend, "--connection", "money")).code, 0);
  assert.match((await rungs("connections")).out, /money +Money +rows +2/);
  const wrong = await rungs("import", spend, "--connection", "not a name");
  assert.deepEqual([wrong.code, /connection id has/i.test(wrong.err)], [1, true]);
});

test("rejected items are named with place and reason: some on the screen, all in the report", async () => {
  const rungs = newHome();
  const report = join(folder, "report.ndjson");
  const { code, out, err } = await rungs("import", broken, "--report", report);
  assert.equal(code, 0);
  assert.match(out, /40 added, 0 changed, 0 unchanged, 30 rejected/);
  const lines = err.split("\n");
  assert.equal(lines[0], "rejected: log.jsonl, row 41: It is not valid JSON.");
  assert.deepEqual([lines.length, lines.at(-1)], [21, "and 10 more; --report FILE lists them all."]);
  const reported = readFileSync(report, "utf8").trim().split("\n");
  assert.equal(reported.length, 30);
  assert.deepEqual(JSON.parse(reported[29] ?? ""), {
    path: broken,
    connection_id: "table-log",
    place: "log.jsonl, row 70",
    code: "item_unreadable",
    message: "It is not valid JSON.",
  });
  const json = JSON.parse((await rungs("import", broken, "--json")).out);
  assert.deepEqual(
    [json.format, json.unchanged, json.rejected, json.rejections.length],
    ["table", 40, 30, 30],
  );
});

test("an archive is imported without unpacking; unsafe entries are reported by name", async () => {
  const rungs = newHome();
  const zip = write(
    "export.zip",
    createZip([
      { path: "export/spend.csv", content: "id,v\n1,2\n", packed: true },
      { path: "../outside.csv", content: "id,v\n1,2\n" },
      { path: "red\u001b[31m.csv", content: "id,v\n1,2\n" },
    ]),
  );
  const { code, out, err } = await rungs("import", zip);
  assert.equal(code, 0);
  assert.match(out, /1 added, 0 changed, 0 unchanged, 2 rejected/);
  assert.deepEqual(err.split("\n"), [
    "rejected: ../outside.csv: Its name leads out of the archive.",
    "rejected: red\\u{1b}[31m.csv: Its name has control characters.",
  ]);
});

test("a dry run reads everything, stores nothing, and prints a manifest that --manifest accepts", async () => {
  const rungs = newHome();
  const { out } = await rungs("import", spend, "--dry-run", "--json");
  const { manifest, streams, taken } = JSON.parse(out);
  assert.deepEqual([streams, taken], [{ rows: 2 }, 2]);
  assert.match(
    (await rungs("import", spend, "--dry-run")).out,
    /Nothing was stored\. There are 2 in rows, 0 rejected/,
  );
  assert.doesNotMatch((await rungs("connections")).out, /table-/);
  manifest.declaration_version = "mine";
  manifest.streams[0].schema.properties.id.type = "string";
  const file = write("manifest.json", JSON.stringify(manifest));
  const given = await rungs("import", spend, "--manifest", file);
  assert.match(given.out, /2 added/);
  assert.doesNotMatch(given.out, /inferred/);
});

test("several paths are imported one by one", async () => {
  const rungs = newHome();
  const { code, out } = await rungs("import", spend, broken, "--json");
  assert.equal(code, 0);
  assert.deepEqual(
    JSON.parse(out).imports.map((each: { connection_id: string; added: number }) => [
      each.connection_id,
      each.added,
    ]),
    [
      ["table-ausgaben-fur-marz", 2],
      ["table-log", 40],
    ],
  );
});

test("a path of unknown format does not keep the others from being imported, and is named in the result", async () => {
  const rungs = newHome();
  const odd = write("odd.bin", Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 73) % 256)));
  const { code, out } = await rungs("import", spend, odd, join(folder, "nowhere"), broken, "--json");
  assert.equal(code, 1);
  const { imports, failures } = JSON.parse(out);
  assert.deepEqual(
    imports.map(({ connection_id }: { connection_id: string }) => connection_id),
    ["table-ausgaben-fur-marz", "table-log"],
  );
  assert.deepEqual(
    failures.map(({ path, code }: { path: string; code: string }) => [path, code]),
    [
      [odd, "unknown_format"],
      [join(folder, "nowhere"), "file_unreadable"],
    ],
  );
  const text = await rungs("import", spend, odd);
  assert.deepEqual([text.code, /failed: .*odd\.bin has no known format/.test(text.err)], [1, true]);
});

test("R72 a folder of many things becomes one connection for each format, with one summary", async () => {
  const rungs = newHome();
  const mixed = join(folder, "Downloads");
  mkdirSync(join(mixed, "old"), { recursive: true });
  const mail =
    "Message-ID: <1@x>\nFrom: Ann <a@x>\nSubject: Ships\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nbody\n";
  const holidays =
    "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Holidays\r\nX-A:1\r\nBEGIN:VEVENT\r\nUID:1\r\nSTATUS:CONFIRMED\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
  writeFileSync(join(mixed, "a.eml"), mail);
  writeFileSync(join(mixed, "spend.csv"), "id,v\n1,2\n");
  writeFileSync(join(mixed, "old", "page.html"), "<!doctype html><html><body>Words</body></html>");
  writeFileSync(join(mixed, "noise.bin"), Buffer.alloc(100));
  writeFileSync(
    join(mixed, "takeout-20260101T000000Z-1-001.zip"),
    createZip([{ path: "Takeout/h.ics", content: holidays }]),
  );
  const { code, out, err } = await rungs("import", mixed);
  assert.equal(code, 0, err);
  assert.match(err, /^left out: noise\.bin: It has no known format\.$/m);
  assert.equal(
    out.split("\n").at(-1),
    "In all: mail 1 file, 1 record; table 1 file, 1 record; documents 1 file, 1 record; calendar 1 file, 1 record; 1 file left out.",
  );
  const again = JSON.parse((await rungs("import", mixed, "--json")).out);
  assert.deepEqual(
    again.imports.map((each: { connection_id: string; added: number; unchanged: number }) => [
      each.connection_id,
      each.added,
      each.unchanged,
    ]),
    [
      ["mail-downloads", 0, 1],
      ["table-downloads", 0, 1],
      ["documents-downloads", 0, 1],
      ["calendar-takeout", 0, 1],
    ],
  );
  assert.deepEqual(again.left_out, [{ path: mixed, file: "noise.bin", reason: "It has no known format." }]);
  const one = await rungs("import", mixed, "--connection", "x");
  assert.deepEqual(
    [one.code, /several formats \(mail, table, documents, calendar\)/.test(one.err)],
    [1, true],
  );
});

test("R72 a dry run says why files were detected as a format, and reports a guess", async () => {
  const rungs = newHome();
  const sure = await rungs("import", spend, "--dry-run");
  assert.match(sure.out, /^Detected by structure: its first rows have 3 columns each\.$/m);
  const odd = write("holidays.ics", "id,what\n1,tea\n2,rice\n");
  const guessed = await rungs("import", odd, "--dry-run");
  assert.match(guessed.out, /holidays\.ics: taken for the format table by a guess, because .* named \.ics\./);
  const { detection } = JSON.parse((await rungs("import", odd, "--dry-run", "--json")).out);
  assert.equal(detection.confidence, "guess");
});

test("the owner's data goes into the demo's home without a collision", async () => {
  const home = join(folder, "demo-home");
  mkdirSync(home);
  const store = await openSqlite(join(home, "rungs.db"));
  await prepareDemo(store, home);
  await store.close();
  const mbox = write(
    "mine.mbox",
    "From a@x Thu Jan  1 00:00:00 2026\nFrom: Ann <a@x>\nSubject: Ships\n\nbody\n",
  );
  const env = { RUNGS_HOME: home };
  for (const path of [mbox, spend]) {
    const { code, err } = await rungsHere(["import", path], env);
    assert.equal(code, 0, err);
  }
});

test("an impossible import is refused in one sentence that says what to do", async () => {
  const rungs = newHome();
  const noise = write("noise.bin", Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 73) % 256)));
  mkdirSync(join(folder, "empty"));
  for (const [argv, code, words] of [
    [[join(folder, "nowhere")], 1, /cannot be read \(no such file or folder\)/],
    [[noise], 1, /no known format\. Known formats: .*table.*--as/],
    [[join(folder, "empty")], 1, /no known format/],
    [[spend, "--as", "nothing"], 1, /Unknown format nothing\. Known formats: .*table/],
    [[spend, "--report", join(folder, "no", "where")], 2, /cannot be written/],
    [[spend, "--manifest", noise], 2, /is not JSON/],
    [[], 2, /takes PATH/],
    [[spend, broken, "--as", "records", "--manifest", "m", "--connection", "c"], 2, /takes one file/],
  ] as const) {
    const answer = await rungs("import", ...argv);
    assert.equal(answer.code, code, answer.err);
    assert.match(answer.err, words);
    assert.ok(answer.err.startsWith("rungs: ") && !answer.err.includes("\n"), answer.err);
  }
});

test("an import that stores nothing fails", async () => {
  const torn = write("torn.jsonl", '{"id":1}\n');
  const rungs = newHome();
  assert.equal((await rungs("import", torn)).code, 0);
  const manifest = JSON.parse((await rungs("import", torn, "--dry-run", "--json")).out).manifest;
  manifest.declaration_version = "strict";
  manifest.streams[0].schema.properties.id.type = "string";
  const file = write("strict.json", JSON.stringify(manifest));
  const { code, err } = await rungs("import", torn, "--manifest", file, "--connection", "strict");
  assert.equal(code, 1);
  assert.match(err, /row 1: id must be of type string/);
});

test("a terminal shows bytes, items and rates", async () => {
  const shown: string[] = [];
  const io = {
    out: () => undefined,
    err: () => undefined,
    env: { RUNGS_HOME: join(folder, "watched") },
    watch: (line: string) => shown.push(line),
  };
  assert.equal(await run(["import", broken], io), 0);
  assert.match(
    shown[0] ?? "",
    /^0\.0 of 0\.0 MB \(100%\), 1 items, [\d,]+ items\/s, \d+\.\d MB\/s.*, log\.jsonl$/,
  );
  assert.equal(shown.at(-1), "");
});
