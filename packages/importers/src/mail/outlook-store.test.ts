/** Outlook data files that the tests write themselves. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ImportedItem } from "@rungs/contract";
import { makePst } from "../../../../testing/files/pst.ts";
import { Random } from "../../../../testing/random.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { createExtractor } from "../extract/extractor.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { importers } from "../importers.ts";
import { walkStore } from "../outlook/walk-store.ts";
import { readAll, withExtractor } from "../read-all.test.ts";
import { mail } from "./mail.ts";

const extractor = createExtractor();
after(() => extractor.close());

const extracting = withExtractor(mail, extractor);

const makeMail = (at: number) => ({
  properties: {
    "001A001F": "IPM.Note",
    "0037001F": `Plan ${at}`,
    "1000001F": `Hello 日本 😀 ${at}`,
    "0C1A001F": "Ann",
    "0C1F001F": "ann@example.org",
    "00390040": new Date("2024-03-01T09:00:00Z"),
    "0E070003": 1,
    "1035001F": `<${at}@example.org>`,
  },
  recipients: [
    { "3001001F": "Ben", "39FE001F": "ben@example.org", "0C150003": 1 },
    { "3001001F": "Cid", "39FE001F": "cid@example.org", "0C150003": 2 },
  ],
  attachments: [
    {
      "3707001F": "plan.txt",
      "370E001F": "text/plain",
      "37010102": Buffer.from(`part ${at}`),
      "37050003": 1,
    },
  ],
});
const appointment = { properties: { "001A001F": "IPM.Appointment", "0037001F": "Tea" } };
/** More messages than one page of the tree of nodes has. */
const MESSAGES = 60;
const STORE = makePst([
  { name: "Inbox", messages: Array.from({ length: MESSAGES }, (_, at) => makeMail(at)) },
  { name: "Sent", messages: [makeMail(1000), appointment] },
  { name: "Empty", messages: [] },
]);

test("R72 a data file of Outlook is its messages with people, files and folders, from any checkpoint", async () => {
  const { groups } = await sortFiles(createMemoryFiles("x", { a: STORE }), importers);
  assert.deepEqual(
    groups.map(({ importer, detection }) => [importer.id, detection.confidence]),
    [["mail", "signature"]],
  );
  const whole = await readAll(extracting, { "a.pst": STORE });
  assert.deepEqual(whole.rejected, []);
  const messages = [...whole.stream("messages").values()];
  assert.equal(messages.length, MESSAGES + 1);
  assert.deepEqual(
    { ...messages[7], id: undefined, size_bytes: undefined },
    {
      id: undefined,
      size_bytes: undefined,
      message_id: "7@example.org",
      subject: "Plan 7",
      from: "Ann <ann@example.org>",
      from_address: "ann@example.org",
      to: ["Ben <ben@example.org>"],
      cc: ["Cid <cid@example.org>"],
      date: "2024-03-01T09:00:00.000Z",
      date_source: "date",
      body: "Hello 日本 😀 7",
      body_source: "plain",
      labels: ["Inbox"],
      flags: ["seen"],
      thread_id: "7@example.org",
      attachment_count: 1,
    },
  );
  assert.deepEqual(messages.at(-1)?.labels, ["Sent"]);
  const texts = [...whole.stream("attachments").values()].map(({ file_name, text }) => [file_name, text]);
  assert.deepEqual([texts.length, texts[7]], [MESSAGES + 1, ["plan.txt", "part 7"]]);
  assert.match(whole.notes.join(" "), /1 appointments, contacts, tasks and notes were left out/);
  const places = whole.items.filter(
    (item): item is ImportedItem & { checkpoint: string } => item.checkpoint !== undefined,
  );
  const rest = await readAll(extracting, { "a.pst": STORE }, places[40]?.checkpoint);
  assert.deepEqual(rest.items, whole.items.slice(whole.items.indexOf(places[40]!) + 1));
});

test("R75 a data file with broken messages yields the others, and a truncated one a reason", async () => {
  const broken = Buffer.from(STORE);
  const random = new Random(5);
  // Messages are in the blocks before the trees: every tenth has its heap overwritten.
  for (let at = 0; at < 6; at += 1) broken.fill(0xff, ...heapOf(broken, `Plan ${at * 10}`, random));
  const { rejected, stream } = await readAll(extracting, { "a.pst": broken });
  assert.ok(stream("messages").size >= MESSAGES - 6, `${stream("messages").size}`);
  for (const { reason } of rejected) assert.match(reason, /^(?:It is broken|Not mail|It has no)/);
  const cut = await readAll(extracting, { "a.pst": STORE.subarray(0, Math.floor(STORE.length * 0.7)) });
  assert.ok(cut.rejected.length > 0);
  for (const { reason } of cut.rejected) assert.match(reason, /^It is/);
});

/** The place of the heap that holds a subject. */
function heapOf(bytes: Buffer, subject: string, random: Random): [number, number] {
  const at = bytes.indexOf(Buffer.from(subject, "utf16le"));
  const start = Math.floor(at / 64) * 64;
  return [start, start + 1 + random.below(at - start)];
}

test("R75 a broken message costs no time, whether its table has empty entries, its block is short or a tree is a cycle", () => {
  const subject = STORE.indexOf(Buffer.from("Plan 5", "utf16le"));
  const heap = STORE.lastIndexOf(Buffer.from([0xec, 0xbc]), subject) - 2;
  const empty = Buffer.from(STORE);
  empty.fill(0, STORE.indexOf(Buffer.from([0xb5, 2, 6]), heap) + 1, heap + 40);
  const place = Buffer.alloc(8);
  place.writeUInt32LE(heap);
  const short = Buffer.from(STORE);
  short.writeUInt16LE(2, STORE.indexOf(place, STORE.length / 2) + 8);
  for (const broken of [empty, short])
    assert.deepEqual(countProblems(broken), { problems: 1, messages: MESSAGES });
  const cycle = Buffer.from(STORE);
  const root = cycle.readUInt32LE(240);
  cycle.writeUInt32LE(root, root + 4 * 24 + 16);
  const { problems, messages } = countProblems(cycle);
  assert.ok(problems > 0 && messages > MESSAGES / 2, `${problems} problems, ${messages} messages`);
});

/** In this process, which no limit kills. */
function countProblems(store: Buffer): { problems: number; messages: number } {
  const kinds = [...walkStore(store, 0)].map(({ kind }) => kind);
  const count = (kind: string) => kinds.filter((each) => each === kind).length;
  return { problems: count("problem"), messages: count("message") };
}
