import assert from "node:assert/strict";
import { test } from "node:test";
import type { Email } from "postal-mime";
import { parseMessage } from "./parse-message.ts";

async function parse(message: string): Promise<Email> {
  const parsed = await parseMessage(Buffer.from(message, "latin1"));
  assert.ok(parsed.kind === "mail");
  return parsed.mail;
}

test("raw 8-bit headers and bodies are decoded correctly, whatever they claim", async () => {
  const raw = await parse('From: "J\xfcrgen" <j@b>\nSubject: Fr\xf6sche\n\nm\xfcde Fr\xf6sche');
  assert.equal(raw.from?.name, "Jürgen");
  assert.equal(raw.subject, "Frösche");
  assert.equal(raw.text?.trim(), "müde Frösche");
  const word = await parse("From: a@b\nSubject: =?iso-8859-1?Q?Die_Fr\xf6sche?=\n\nx");
  assert.equal(word.subject, "Die Frösche");
  const file = await parse(
    'From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: image/png; name="Fr\xf6sche.png"\n\n\x89PNG\xff\n--x--\n',
  );
  assert.equal(file.attachments[0]?.filename, "Frösche.png");
  assert.deepEqual(
    Buffer.from(file.attachments[0].content as ArrayBuffer),
    Buffer.from("\x89PNG\xff\n", "latin1"),
  );
  const utf8 = await parse(Buffer.from("From: a@b\nSubject: 件名\n\n本文").toString("latin1"));
  assert.deepEqual([utf8.subject, utf8.text?.trim()], ["件名", "本文"]);
});

test("UTF-7, and text that is not what it claims to be, is decoded", async () => {
  const utf7 = await parse(
    'From: a@b\nSubject: =?utf-7?Q?Fr+APY-sche?=\nContent-Type: text/plain; charset="utf-7"\n\n+APw-ber Fr+APY-sche',
  );
  assert.deepEqual([utf7.subject, utf7.text?.trim()], ["Frösche", "über Frösche"]);
  const claimed = await parse(
    "From: a@b\nContent-Type: text/plain; charset=UTF-8; format=flowed\nContent-Transfer-Encoding: quoted-printable\n\nFr=F6sche \nund M=E4use",
  );
  assert.equal(claimed.text?.trim(), "Frösche und Mäuse");
  const words = await parse(
    "From: a@b\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: base64\n\nthese are plain words, quite plain\n",
  );
  assert.equal(words.text?.trim(), "these are plain words, quite plain");
});

const forward = (encoding: string, encode: (text: string) => string) =>
  [
    "From: a@b\nSubject: Fwd\nContent-Type: multipart/mixed; boundary=x\n",
    "--x\nContent-Type: text/plain\n\nsee below",
    `--x\nContent-Type: message/rfc822\n${encoding}\n${encode("From: c@d\nDate: 13 Aug 1998 07:42:41 +0200\nSubject: First\n\nkingfisher\n")}`,
    "--x--\n",
  ].join("\n");

test("R74 a forwarded message reads the same in every time zone", async () => {
  const zone = process.env.TZ;
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  for (const message of [
    forward("", (text) => text),
    forward("Content-Transfer-Encoding: base64\n", base64),
  ]) {
    const texts = [];
    for (const TZ of ["UTC", "Asia/Tokyo", "America/New_York"]) {
      process.env.TZ = TZ;
      texts.push((await parse(message)).text);
    }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    assert.match(texts[0] ?? "", /1998-08-13 at 05:42:41 UTC[\s\S]*kingfisher/);
    assert.equal(new Set(texts).size, 1);
  }
});

test("a text with a file name is an attachment also where it is shown inline, unless it is the only text", async () => {
  const file = "--x\nContent-Type: text/plain\nContent-Disposition: inline;\n filename=x.txt\n\nfile text\n";
  const head = "From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n";
  const both = await parse(`${head}--x\nContent-Type: text/plain\n\nbody text\n${file}--x--\n`);
  assert.deepEqual(
    [both.text?.trim(), both.attachments.map(({ filename }) => filename)],
    ["body text", ["x.txt"]],
  );
  const alone = await parse(`${head}${file}--x--\n`);
  assert.deepEqual([alone.text?.trim(), alone.attachments.length], ["file text", 0]);
});

test("recovers a boundary without a semicolon before it, and distinguishes one that is a prefix of another", async () => {
  const parts =
    "--abc\nContent-Type: text/plain\n\nfirst\n--abc\nContent-Type: image/png; name=p.png\n\nPNG\n--abc--\n";
  const loose = await parse(
    `From: a@b\nMIME-Version: 1.0\nContent-Type: multipart/mixed boundary="abc"\n\n${parts}`,
  );
  assert.deepEqual([loose.text?.trim(), loose.attachments.length], ["first", 1]);
  const inner =
    "--abcd\nContent-Type: text/plain\n\nplain\n--abcd\nContent-Type: text/html\n\n<p>page\n--abcd--\n";
  const nested = await parse(
    `From: a@b\nContent-Type: multipart/mixed; boundary=abc\n\n--abc\nContent-Type: multipart/alternative; boundary=abcd\n\n${inner}--abc\nContent-Type: image/png; name=p.png\n\nPNG\n--abc--\n`,
  );
  assert.deepEqual(
    [nested.text?.trim(), nested.html?.trim(), nested.attachments.length],
    ["plain", "<p>page", 1],
  );
});

test("UTF-8 that is broken in one place stays UTF-8", async () => {
  const text = Buffer.concat([
    Buffer.from("東京の天気は"),
    Buffer.from([0xff]),
    Buffer.from("晴れ"),
  ]).toString("latin1");
  assert.equal((await parse(`From: a@b\n\n${text}`)).text?.trim(), "東京の天気は\ufffd晴れ");
});

test("text whose parts cannot be parsed is kept unchanged", async () => {
  assert.equal(
    (await parse("From: a@b\nContent-Type: multipart/report\n\nno boundary\n")).text,
    "no boundary\n",
  );
  const open = "From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nnever closed\n";
  assert.equal((await parse(open)).text, "never closed\n");
  const deep = Array.from(
    { length: 400 },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
  );
  assert.match((await parse(`From: a@b\n${deep.join("")}\nat the bottom\n`)).text ?? "", /at the bottom/);
});

test("messages inside messages are read at any depth", async () => {
  const inner = "Content-Type: message/rfc822\n\nFrom: c@d\nSubject: inner\n".repeat(30);
  const { text, attachments } = await parse(`From: a@b\n${inner}\nat the bottom\n`);
  assert.match(
    `${text}${Buffer.from((attachments[0]?.content as ArrayBuffer) ?? []).toString()}`,
    /at the bottom/,
  );
});

test("many lines are read in bounded memory, although the library keeps objects per line", async () => {
  const lines = "\n".repeat(2_000_000);
  const { text } = await parse(
    `From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nstart${lines}end\n--x--\n`,
  );
  assert.equal(text?.trim().length, 2_000_008);
  assert.ok(process.resourceUsage().maxRSS < 1_500_000, "less than 1.5 GB");
});

test("a message of too many parts, or with too large a header, is rejected with the reason", async () => {
  for (const part of ["--x\n\na\n", "--x\n", "--x\nA: b\n"]) {
    const message = `From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n${part.repeat(10_001)}`;
    const many = await parseMessage(Buffer.from(message));
    assert.ok(many.kind === "rejected" && /10000 parts/.test(many.reason));
  }
  const large = await parseMessage(Buffer.from(`X: ${`${"y".repeat(70)}\n `.repeat(43_000)}\n\nhi`));
  assert.ok(large.kind === "rejected" && /header/.test(large.reason));
  const dashes = await parse(`From: a@b\n\n${"-- comment\n".repeat(11_000)}`);
  assert.equal(dashes.attachments.length, 0);
});
