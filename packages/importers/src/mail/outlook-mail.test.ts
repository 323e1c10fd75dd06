import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ImportedItem } from "@rungs/contract";
import { makeDoc, makeMsg } from "../../../../testing/files/ole.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { createExtractor } from "../extract/extractor.ts";
import type { Files } from "../files/files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { openFiles } from "../files/open-files.ts";
import { importers } from "../importers.ts";
import { type Reading, readAll, withExtractor } from "../read-all.test.ts";
import { mail } from "./mail.ts";

const extractor = createExtractor();
after(() => extractor.close());

/** Mail with the real extraction process. */
const extracting = withExtractor(mail, extractor);

function read(
  files: Files | Readonly<Record<string, string | Uint8Array>>,
  resume?: string,
): Promise<Reading> {
  return readAll(extracting, files, resume);
}

const first = (reading: Reading) => [...reading.stream("messages").values()][0];

const HEADER = [
  "From: Ann <ann@example.org>",
  "To: Ben <ben@example.org>",
  "Cc: cid@example.org",
  "Subject: Plan =?utf-8?Q?caf=C3=A9?=",
  "Date: Fri, 1 Mar 2024 10:00:00 +0100",
  "Message-ID: <1@example.org>",
  "In-Reply-To: <0@example.org>",
  "References: <root@example.org> <0@example.org>",
].join("\r\n");

const NOTE = {
  "3001001F": "plan.txt",
  "3707001F": "plan.txt",
  "370E001F": "text/plain",
  "37010102": Buffer.from("the plan"),
  "37050003": 1,
};

const RECEIVED = makeMsg({
  properties: {
    "001A001F": "IPM.Note",
    "007D001F": `Microsoft Mail Internet Headers Version 2.0\r\n${HEADER}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n`,
    "0037001F": "Plan café",
    "1000001F": "Hello Ben,\r\n\r\nsee the plan. 日本 😀\r\n",
    "0E070003": 1,
  },
  recipients: [{ "3001001F": "Ben", "39FE001F": "ben@example.org", "0C150003": 1 }],
  attachments: [NOTE],
});

const EML = [
  HEADER,
  "MIME-Version: 1.0",
  "Content-Type: multipart/mixed; boundary=x",
  "",
  "--x",
  "Content-Type: text/plain; charset=utf-8",
  "",
  "Hello Ben,",
  "",
  "see the plan. 日本 😀",
  "--x",
  "Content-Type: text/plain; name=plan.txt",
  "Content-Disposition: attachment; filename=plan.txt",
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("the plan").toString("base64"),
  "--x--",
  "",
].join("\r\n");

test("an MSG file is a message like its EML file: the same record under the same key", async () => {
  const msg = await read({ "a.msg": RECEIVED });
  const eml = await read({ "a.eml": EML });
  assert.deepEqual(msg.rejected, []);
  const [[key, data] = []] = msg.stream("messages");
  assert.equal(key, [...eml.stream("messages").keys()][0]);
  assert.deepEqual({ ...data, flags: undefined }, { ...first(eml), flags: undefined });
  assert.deepEqual(data?.flags, ["seen"]);
  assert.equal(data?.thread_id, "root@example.org");
  const [attachment] = msg.stream("attachments").values();
  assert.deepEqual(
    [attachment?.file_name, attachment?.text, attachment?.mime_type],
    ["plan.txt", "the plan", "text/plain"],
  );
});

test("a message that was never sent has its people, time and conversation from its properties", async () => {
  const draft = makeMsg({
    properties: {
      "001A001F": "IPM.Note",
      "0037001F": "Draft",
      "0C1A001F": "Ann",
      "0C1E001F": "EX",
      "0C1F001F": "/O=ORG/CN=ANN",
      "5D01001F": "ann@example.org",
      "00390040": new Date("2024-03-01T09:00:00Z"),
      "0E070003": 8,
      "00710102": Buffer.alloc(27, 7),
      "10130102": Buffer.from(
        "<html><body><p>Caf\xe9</p><p style='display:none'>no</p></body></html>",
        "latin1",
      ),
      "3FDE0003": 1252,
    },
    recipients: [
      { "3001001F": "Ben", "39FE001F": "ben@example.org", "0C150003": 1 },
      { "3001001F": "Dora", "3003001F": "/O=ORG/CN=DORA", "0C150003": 2 },
    ],
  });
  const data = first(await read({ "sent/a.msg": draft, "sent/b.eml": EML }));
  assert.deepEqual(
    { ...data, id: undefined },
    {
      id: undefined,
      subject: "Draft",
      from: "Ann <ann@example.org>",
      from_address: "ann@example.org",
      to: ["Ben <ben@example.org>"],
      cc: ["Dora"],
      date: "2024-03-01T09:00:00.000Z",
      date_source: "date",
      body: "Café",
      body_source: "html",
      hidden_text: "no",
      labels: ["sent"],
      flags: ["draft"],
      thread_id: "07".repeat(22),
      attachment_count: 0,
      size_bytes: data?.size_bytes,
    },
  );
});

/** RTF as properties hold it, without compression ([MS-OXRTFCP] §2.1.3.1). */
function packRtf(rtf: string): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(rtf.length + 12, 0);
  header.writeUInt32LE(rtf.length, 4);
  header.write("MELA", 8, "latin1");
  return Buffer.concat([header, Buffer.from(rtf, "latin1")]);
}

test("a body that is only packed RTF is read", async () => {
  const data = first(
    await read({
      x: makeMsg({
        properties: {
          "0037001F": "s",
          "10090102": packRtf("{\\rtf1\\ansi hello \\u26085?world}"),
          "0E070003": 1,
        },
      }),
    }),
  );
  assert.match(String(data?.body), /^hello 日world$/);
});

test("R72 a message is distinguished from other compound files by its parts, even with a document attached", async () => {
  const attached = makeMsg({
    properties: { "0037001F": "s", "1000001F": "b" },
    attachments: [{ ...NOTE, "3707001F": "a.doc", "37010102": makeDoc("Words inside") }],
  });
  const { groups } = await sortFiles(createMemoryFiles("x", { a: attached, b: makeDoc("Words") }), importers);
  assert.deepEqual(
    groups.map(({ importer, detection }) => [importer.id, detection.confidence]),
    [
      ["mail", "signature"],
      ["documents", "signature"],
    ],
  );
  const reading = await read({ a: attached });
  assert.equal([...reading.stream("attachments").values()][0]?.text, "Words inside");
});

test("R75 a broken MSG file or data file is rejected with a reason, and the others are read", async () => {
  const { rejected, stream } = await read({
    "a.msg": RECEIVED.subarray(0, 1_500),
    "b.pst": Buffer.concat([Buffer.from("!BDN"), Buffer.alloc(2_000, 3)]),
    "c.eml": EML,
  });
  assert.equal(stream("messages").size, 1);
  assert.equal(rejected.length, 2);
  for (const { reason } of rejected) assert.match(reason, /^(?:It is|Not mail)/);
});

const PST = fileURLToPath(new URL("../../../../../shared/corpora/mail-misc-tika/", import.meta.url));

test("a data file of Outlook is its messages, with folders as labels, from any checkpoint", {
  skip: !existsSync(PST),
}, async () => {
  const files = await openFiles(join(PST, "testPST.pst"));
  const whole = await read(files);
  assert.deepEqual(whole.rejected, []);
  const messages = [...whole.stream("messages").values()];
  assert.equal(messages.length, 7);
  assert.ok(messages.every(({ subject, from, date, body }) => subject && from && date && body));
  const places = whole.items.filter(
    (item): item is ImportedItem & { checkpoint: string } => item.checkpoint !== undefined,
  );
  const rest = await read(files, places[2]?.checkpoint);
  assert.deepEqual(rest.items, whole.items.slice(whole.items.indexOf(places[2]!) + 1));
});

test("R75 a truncated data file yields what it has", { skip: !existsSync(PST) }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-pst-"));
  after(() => rmSync(folder, { recursive: true }));
  const bytes = readFileSync(join(PST, "testPST.pst"));
  const file = join(folder, "cut.pst");
  writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * 0.7)));
  const { items, rejected } = await read(await openFiles(file));
  assert.ok(rejected.length > 0 || items.length > 0);
});
