/** A folder of documents, a calendar and an address book, from the files to the evidence of a search. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { makeCalendar, makeEvent } from "../../testing/files/calendar.ts";
import { makeDocx } from "../../testing/files/docx.ts";
import { drawLetters, drawOnPage } from "../../testing/files/lettering.ts";
import { makePdf } from "../../testing/files/pdf.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-documents-"));
const env = { RUNGS_HOME: join(folder, "home"), RUNGS_TOKEN: "" };
after(() => rmSync(folder, { recursive: true }));

const VAULT = join(folder, "Vault");
const PAGES = 60;

function writeVault(): void {
  mkdirSync(join(VAULT, "notes"), { recursive: true });
  mkdirSync(join(VAULT, ".obsidian"));
  const pages = Array.from({ length: PAGES }, (_, at) => [`page ${at + 1} of the survey`, "nothing of note"]);
  pages[41]!.push("the heron nests by the sluice");
  writeFileSync(join(VAULT, "survey.pdf"), makePdf(pages, { title: "River survey" }));
  writeFileSync(join(VAULT, "broken.pdf"), makePdf([["x"]]).subarray(0, 60));
  writeFileSync(join(VAULT, "letter.docx"), makeDocx(["Dear Ann,", "the kiln is ready."]));
  writeFileSync(join(VAULT, ".obsidian", "app.json"), "{}");
  const note = `---\ntags: [travel]\n---\n# Plans\n${"Long ago. ".repeat(900)}\n明日は東京へ行きます。![[map.png]]\n`;
  writeFileSync(join(VAULT, "notes", "plans.md"), note);
  writeFileSync(join(VAULT, "notes", "map.png"), Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
  writeFileSync(
    join(folder, "work.ics"),
    makeCalendar(makeEvent("UID:1", "SUMMARY:Kiln opening", "DTSTART:20240501T100000Z")),
  );
  writeFileSync(join(folder, "people.vcf"), "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Potter\r\nEND:VCARD\r\n");
}

const ask = async (...argv: string[]) => {
  const { code, out, err } = await rungsHere([...argv, "--json"], env);
  assert.equal(code, 0, err);
  return JSON.parse(out);
};

const importAll = async () => {
  const answers = [];
  for (const path of [VAULT, join(folder, "work.ics"), join(folder, "people.vcf")])
    answers.push(await ask("import", path));
  return answers.map(({ format, added, changed, unchanged, rejected }) => [
    format,
    added,
    changed,
    unchanged,
    rejected,
  ]);
};

before(async () => {
  writeVault();
  assert.deepEqual(await importAll(), [
    ["documents", 5, 0, 0, 0],
    ["calendar", 1, 0, 0, 0],
    ["contacts", 1, 0, 0, 0],
  ]);
  const connections = ["documents-vault", "calendar-work", "contacts-people"];
  const allow = connections.flatMap((connection) => ["--allow", `${connection}/*`]);
  const { token } = await ask("grant", "create", "--client", "shell", ...allow);
  env.RUNGS_TOKEN = token;
});

async function findOnly(query: string) {
  const { data } = await ask("search", query);
  assert.equal(data.length, 1, query);
  return data[0];
}

async function readAt(id: string, [match]: readonly { start_chars: number; end_chars: number }[]) {
  const { start_chars, end_chars } = match!;
  const size = String(end_chars - start_chars);
  return (await ask("read", id, "text", "--offset", String(start_chars), "--limit", size)).window.text;
}

test("R11 R33 words deep inside a PDF are found, with the window that proves it and the page it is on", async () => {
  const hit = await findOnly("heron sluice");
  assert.equal(hit.title, "River survey");
  const [{ field_path, matches }] = hit.evidence;
  assert.deepEqual([field_path, await readAt(hit.id, matches)], ["text", "heron"]);
  const { data } = await ask("fetch", hit.id, "--fields", "page_starts,page_count");
  const page = data.page_starts.findLastIndex((start: number) => start <= matches[0].start_chars) + 1;
  assert.deepEqual([page, data.page_count], [42, PAGES]);
});

test("R11 a Japanese word of two characters is found deep in a note, with the window that proves it", async () => {
  const hit = await findOnly("東京");
  assert.equal(hit.title, "plans");
  const [{ field_path, matches }] = hit.evidence;
  assert.deepEqual([field_path, await readAt(hit.id, matches)], ["text", "東京"]);
});

test("R11 words of a Word document, an event, a contact and a tag are found in their fields", async () => {
  const places = async (query: string) =>
    (await ask("search", query)).data.map(
      ({
        stream,
        title,
        evidence,
      }: {
        stream: string;
        title: string;
        evidence: { field_path: string }[];
      }) => [stream, title, evidence[0]?.field_path],
    );
  assert.deepEqual((await places("kiln")).sort(), [
    ["documents", "letter", "text"],
    ["events", "Kiln opening", "summary"],
  ]);
  assert.deepEqual(await places("potter"), [["contacts", "Ann Potter", "name"]]);
  assert.deepEqual(await places("travel"), [["documents", "plans", "tags[0]"]]);
});

test("running the imports again changes nothing", async () => {
  assert.deepEqual(await importAll(), [
    ["documents", 0, 0, 5, 0],
    ["calendar", 0, 0, 1, 0],
    ["contacts", 0, 0, 1, 0],
  ]);
});

test("R33 a scan has no text and the import says so; --ocr changes its record, or says what to install", async () => {
  const scan = join(folder, "scan.pdf");
  writeFileSync(scan, makePdf([drawOnPage(drawLetters(["THE TEA IS HOT"]))]));
  const plain = await ask("import", scan);
  assert.match(
    plain.notes.join(" "),
    /Documents that show only pictures, stored without text: 1; .* --ocr LANG/,
  );
  const read = await ask("import", scan, "--ocr", "eng");
  assert.deepEqual([read.connection_id, read.added, read.changed], [plain.connection_id, 0, 1]);
  assert.deepEqual([read.rejected, read.unchanged], [0, 0]);
  const { code, err } = await rungsHere(["import", scan, "--ocr", "deu"], { ...env, RUNGS_OCR_DIR: folder });
  assert.equal(code, 1);
  assert.match(err, /Tesseract is not installed/);
  assert.match(err, /npm install --global tesseract\.js-core@7 @tesseract\.js-data\/deu/);
});
