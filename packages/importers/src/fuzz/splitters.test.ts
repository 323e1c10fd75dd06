/** Splitters of people's files: the pieces lie in the file, and do not depend on how its bytes arrive. */
import assert from "node:assert/strict";
import { splitLines } from "@rungs/contract";
import fc from "fast-check";
import { fuzz } from "../../../../testing/fuzz/cases.ts";
import { anyCuts, anyText, inPieces, mangledBytes, mangledText } from "../../../../testing/fuzz/mangled.ts";
import { CALENDAR, CONTACT, MBOX, WHATSAPP } from "../../../../testing/fuzz/text-samples.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { parseExactJson } from "../json/parse-json.ts";
import { splitJson } from "../json/split-json.ts";
import { unescapeFrom } from "../mail/mail.ts";
import { parseMailDate } from "../mail/mail-date.ts";
import { splitMbox } from "../mail/split-mbox.ts";
import { decodeUtf7 } from "../mail/utf7.ts";
import { createRowEndFinder } from "../tables/csv-rows.ts";
import { readComponents } from "../vobject/components.ts";
import { readContentLines } from "../vobject/content-lines.ts";
import { readProperties } from "../vobject/properties.ts";
import { findForm, readChatLines, readMessages } from "../whatsapp/read-messages.ts";
import { parseStamp } from "../whatsapp/stamp.ts";

const MAX_BYTES = 300;
const cutUp = (text: string) => fc.tuple(mangledBytes(fc.constant(Buffer.from(text))), anyCuts);

async function fileOf(bytes: Uint8Array) {
  const file = await createMemoryFiles("export", { "a.txt": bytes }).find("a.txt");
  assert.ok(file);
  return file;
}

fuzz(
  "messages of an mbox file follow one another, however it is chunked",
  cutUp(MBOX),
  async ([bytes, cuts]) => {
    const split = async (places: readonly number[], from = 0) => {
      const found: { start: number; end: number; text: string | undefined }[] = [];
      for await (const each of splitMbox(inPieces(bytes.subarray(from), places), from, MAX_BYTES)) {
        found.push({ start: each.start, end: each.end, text: each.bytes?.toString("latin1") });
      }
      return found;
    };
    const messages = await split(cuts);
    assert.deepEqual(messages, await split([]));
    for (const [at, { start, end, text }] of messages.entries()) {
      assert.ok(start < end && end <= bytes.length && start >= (messages[at - 1]?.end ?? 0));
      assert.ok((text?.length ?? 0) <= Math.min(end - start, MAX_BYTES));
    }
    const [, second] = messages;
    if (second) assert.deepEqual(await split(cuts, second.start), messages.slice(1));
  },
);

const list = JSON.stringify([{ a: [1, 2, { b: 'x"y\\' }] }, "s", 1.5, null, [[], {}], { c: "漢字" }]);

fuzz("values of a JSON file are the same however it arrives", cutUp(list), async ([bytes, cuts]) => {
  const choose = (path: readonly unknown[], kind: string) =>
    path.length === 0 && kind === "array" ? "enter" : "take";
  const split = (places: readonly number[]) =>
    Array.fromAsync(splitJson(inPieces(bytes, places), { choose, max_bytes: MAX_BYTES }));
  const pieces = await split(cuts);
  assert.deepEqual(pieces, await split([]));
  for (const { at_byte } of pieces) assert.ok(at_byte >= 0 && at_byte <= bytes.length);
  const whole = parseExactJson(bytes.toString("utf8").replace(/^\ufeff/, ""));
  if (!Array.isArray(whole) || bytes.length > MAX_BYTES) return;
  const values = pieces.flatMap((piece) => (piece.kind === "value" ? [piece.value] : []));
  assert.deepEqual(values, whole, "what JSON reads, the splitter reads");
});

const table = 'id,text\n1,"a ""b"" c"\n2,"line\nbreak"\r\n3,\n';

fuzz("rows of a table are the same however it arrives", cutUp(table), async ([bytes, cuts]) => {
  for (const isCsv of [true, false]) {
    const split = (places: readonly number[]) => {
      const findEnd = isCsv ? createRowEndFinder("\n", ",") : undefined;
      return Array.fromAsync(splitLines(inPieces(bytes, places), { max_bytes: MAX_BYTES, findEnd }));
    };
    const rows = await split(cuts);
    assert.deepEqual(rows, await split([]));
    assert.ok(rows.reduce((sum, row) => sum + (row.bytes?.length ?? 0), 0) <= bytes.length);
  }
});

fuzz("lines of a chat are the same however it arrives", cutUp(WHATSAPP), async ([bytes, cuts]) => {
  const read = (places: readonly number[]) =>
    Array.fromAsync(readChatLines(inPieces(bytes, places), MAX_BYTES));
  const lines = await read(cuts);
  assert.deepEqual(lines, await read([]));
  assert.ok(lines.every(({ text }) => text.length <= MAX_BYTES));
});

fuzz("messages of a chat are read or rejected", cutUp(WHATSAPP), async ([bytes]) => {
  const file = await fileOf(bytes);
  const form = await findForm(file);
  for await (const item of form ? readMessages(file, form) : []) {
    if (item.kind !== "message") continue;
    assert.ok(!Number.isNaN(new Date(item.local_ms).getTime()));
    assert.ok(item.text.length <= bytes.length);
  }
});

fuzz(
  "a stamp is read or none",
  fc.oneof(anyText, mangledText(fc.constantFrom(...WHATSAPP.split("\n")))),
  (line) => {
    const stamp = parseStamp(line);
    if (stamp) assert.ok(line.includes(stamp.written) && line.endsWith(stamp.rest));
  },
);

fuzz(
  "lines of calendars and contacts are read line by line, and no line costs another",
  fc.tuple(fc.oneof(cutUp(CALENDAR), cutUp(CONTACT)), fc.constantFrom("icalendar", "vcard", "vcard3")),
  async ([[bytes], rules]) => {
    const file = await fileOf(bytes);
    let chars = 0;
    for await (const part of readComponents(readContentLines(file), "VCALENDAR")) {
      if (part.kind === "broken") continue;
      const { list: properties, broken } = readProperties(part.lines, rules);
      assert.ok(properties.length + broken.length <= part.lines.length);
      chars += part.lines.reduce((sum, { text }) => sum + text.length, 0);
    }
    assert.ok(chars <= 2 * bytes.length, "no more comes out than went in");
  },
);

const dates = fc.constantFrom("Wed, 17 May 2000 19:08:29 -0400 (EDT)", "Mon Jun  1 10:00:00 CEST 2009");

fuzz("a mail's date is a time or none", fc.oneof(anyText, mangledText(dates)), (text) => {
  const time = parseMailDate(text);
  if (time !== undefined) assert.equal(new Date(time).toISOString(), time);
});

fuzz(
  "UTF-7 and escaped lines are decoded to no more than they were",
  cutUp("Hi +AOk- +2D3eAA-\n>From x\n>>From y"),
  ([bytes]) => {
    assert.ok(decodeUtf7(bytes.toString("latin1")).length <= bytes.length);
    assert.ok(unescapeFrom(bytes).length <= bytes.length);
  },
);
