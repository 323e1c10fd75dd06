/** A mailbox, from the file to the evidence of a search. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { makePdf } from "../../testing/files/pdf.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-mail-"));
const env = { RUNGS_HOME: join(folder, "home"), RUNGS_TOKEN: "" };
after(() => rmSync(folder, { recursive: true }));

const BOX = join(folder, "Archive");

function writeMailbox(): void {
  const filler = Array.from({ length: 200 }, (_, at) => [`page ${at} of the survey`, "nothing of note"]);
  const pdf = Buffer.from(makePdf([...filler, ["the heron nests by the sluice"]])).toString("base64");
  const message = (number: number, body: string) =>
    `From ann@example.org Mon Jun  1 10:00:00 2009\nMessage-ID: <m${number}@example.org>\nFrom: Ann <ann@example.org>\n` +
    `Subject: Letter ${number}\nDate: Mon, 1 Jun 2009 10:00:00 +0000\n${body}\n\n`;
  const attached =
    "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nSee the survey.\n--x\n" +
    'Content-Type: application/octet-stream; name="survey.pdf"\nContent-Transfer-Encoding: base64\n\n' +
    `${pdf.replace(/.{76}/g, "$&\n")}\n--x--\n`;
  const japanese = `Content-Type: text/plain; charset=iso-2022-jp\n\n\u001b$BBg:e\u001b(B\n`;
  const utf8 = `Content-Type: text/plain; charset=utf-8\n\n${"Long ago. ".repeat(900)}\n明日は東京へ行きます。\n`;
  writeFileSync(BOX, message(1, attached) + message(2, japanese) + message(3, utf8));
}

const ask = async (...argv: string[]) => {
  const { code, out, err } = await rungsHere([...argv, "--json"], env);
  assert.equal(code, 0, err);
  return JSON.parse(out);
};

before(async () => {
  writeMailbox();
  const { added, rejected, format } = await ask("import", BOX);
  assert.deepEqual([format, added, rejected], ["mail", 4, 0]);
  const { token } = await ask("grant", "create", "--client", "shell", "--allow", "mail-archive/*");
  env.RUNGS_TOKEN = token;
});

async function findOnly(query: string) {
  const { data } = await ask("search", query);
  assert.equal(data.length, 1, query);
  return data[0];
}

test("R11 R33 words on the last page of an attached PDF are found, with the window that proves it", async () => {
  const hit = await findOnly("heron sluice");
  assert.deepEqual([hit.stream, hit.title], ["attachments", "survey.pdf"]);
  const [evidence] = hit.evidence;
  assert.equal(evidence.field_path, "text");
  const [{ start_chars, end_chars }] = evidence.matches;
  const { window } = await ask("read", hit.id, "text", "--offset", String(start_chars), "--limit", "5");
  assert.equal(window.text, "heron");
  assert.equal(end_chars - start_chars, 5);
});

test("R11 a Japanese word of two characters is found deep in a mail, with the window that proves it", async () => {
  const hit = await findOnly("東京");
  assert.deepEqual([hit.stream, hit.title], ["messages", "Letter 3"]);
  const [evidence] = hit.evidence;
  const [{ start_chars }] = evidence.matches;
  const { window } = await ask("read", hit.id, "body", "--offset", String(start_chars), "--limit", "2");
  assert.equal(window.text, "東京");
});

test("a Japanese word is found in a mail that was written in ISO-2022-JP", async () => {
  assert.equal((await findOnly("大阪")).title, "Letter 2");
});

test("running the import again changes nothing", async () => {
  const { added, changed, unchanged } = await ask("import", BOX);
  assert.deepEqual([added, changed, unchanged], [0, 0, 4]);
});
