/** Files with many broken items at once, for formats where opening a file costs much more than reading an item. */
import fc from "fast-check";
import { makeDatabase } from "../files/database.ts";
import { MESSAGES_SCHEMA } from "../files/messages-db.ts";
import { makePst } from "../files/pst.ts";
import { SLACK_SCHEMA } from "../files/slack-db.ts";
import { makeXlsx, xlsxRow } from "../files/workbook.ts";
import { createZip, listZip } from "../files/zip.ts";
import type { BrokenFormat } from "./formats.ts";
import { mangledBytes, mangledText, overwrittenBytes } from "./mangled.ts";

const MESSAGES = 250;
const SHEETS = 20;
/** Each Outlook data file starts a process. */
const STORE_MESSAGES = 2_000;

const TYPEDSTREAM = Buffer.concat([
  Buffer.from("\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\x00", "latin1"),
  Buffer.from(
    "\x84\x84\x08NSObject\x00\x85\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+\x03Yes\x86\x84\x02iI",
    "latin1",
  ),
]);

type Cell = string | number | bigint | Buffer | null;

/** Values that a program does not expect in a column. */
const anyCell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom<Cell>(null, 0, -1, 1.5, 2 ** 53, 2n ** 62n, -(2n ** 62n), "", "1", "p:0/M1", "bp:M1"),
  mangledText(fc.constant("Is the paint dry? \ufffc")),
  mangledBytes(fc.constant(TYPEDSTREAM)),
);

/** A database of Messages in which every message has a broken text and one to three other broken values. */
function breakMessages(): BrokenFormat {
  const columns = ["guid", "handle_id", "service", "date", "date_edited", "is_from_me", "item_type"].concat([
    "group_title",
    "thread_originator_guid",
    "associated_message_guid",
    "associated_message_type",
  ]);
  const row = fc.record({
    text: fc.option(mangledText(fc.constant("Is the paint dry?"))),
    attributedBody: fc.option(mangledBytes(fc.constant(TYPEDSTREAM))),
    others: fc.array(fc.tuple(fc.constantFrom(...columns), anyCell), { minLength: 1, maxLength: 3 }),
  });
  type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;
  const make = (rows: readonly (Row | undefined)[]) => ({
    "chat.db": makeDatabase((database) => {
      database.exec(MESSAGES_SCHEMA);
      for (const [at, broken] of rows.entries()) {
        const values: Record<string, Cell> = {
          guid: `M${at}`,
          text: "Yes",
          handle_id: 1,
          date: 725_760_000_000_000_000n,
        };
        if (broken)
          Object.assign(
            values,
            { text: broken.text, attributedBody: broken.attributedBody },
            Object.fromEntries(broken.others),
          );
        const names = Object.keys(values);
        database
          .prepare(`INSERT INTO message (ROWID, ${names.join(", ")}) VALUES (?${", ?".repeat(names.length)})`)
          .run(at + 1, ...Object.values(values));
        database.prepare("INSERT INTO chat_message_join VALUES (1, ?)").run(at + 1);
      }
    }),
  });
  const broken = fc.array(row, { minLength: MESSAGES, maxLength: MESSAGES }).map(make);
  const whole = make(Array.from({ length: MESSAGES }, () => undefined));
  return { name: "imessage, rows", importer: "imessage", whole, broken, items: MESSAGES };
}

/** A slackdump database in which every message is broken JSON. */
function breakSlack(): BrokenFormat {
  const message = { type: "message", user: "U1", text: "The <@U1> kiln", ts: "1700000001.000200" };
  const make = (texts: readonly string[]) => ({
    "slackdump.sqlite": makeDatabase((database) => {
      database.exec(SLACK_SCHEMA);
      database.prepare("INSERT INTO CHANNEL VALUES ('C012345678', 1, 'clay', '{}')").run();
      const insert = database.prepare("INSERT INTO MESSAGE VALUES (?, 1, 'C012345678', ?, ?)");
      for (const [at, text] of texts.entries())
        insert.run(at, `17000000${at + 100}.000200`, Buffer.from(text));
    }),
  });
  const text = mangledText(fc.constant(JSON.stringify(message)));
  const broken = fc.array(text, { minLength: MESSAGES, maxLength: MESSAGES }).map(make);
  const whole = make([JSON.stringify(message)]);
  return { name: "slackdump, rows", importer: "slack", whole, broken, items: MESSAGES };
}

/** The file with something overwritten in each range of this length. */
function overwriteAt(whole: Buffer, places: readonly number[], length: number): fc.Arbitrary<Buffer> {
  const edits = places.map((at) => overwrittenBytes(whole.subarray(at, at + length)));
  return fc.tuple(...edits).map((parts) => {
    const bytes = Buffer.from(whole);
    for (const [at, part] of parts.entries()) part.copy(bytes, places[at]!);
    return bytes;
  });
}

/** A workbook in which every sheet is broken. */
function breakSheets(): BrokenFormat {
  const sheets = Array.from({ length: SHEETS }, (_, at) => ({
    name: `S${at}`,
    rows: `${xlsxRow(["id", "name"])}<row r="2"><c r="A2" s="1"><v>${at}</v></c><c r="B2" t="s"><v>0</v></c></row>`,
    after: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
  }));
  const parts = listZip(makeXlsx(sheets, { strings: ["tea"], formats: ["yyyy-mm-dd"] }));
  const contents = parts.map(({ path, content }) =>
    path.includes("worksheets/") ? mangledText(fc.constant(content)) : fc.constant(content),
  );
  const pack = (texts: readonly string[]) => ({
    a: createZip(parts.map(({ path }, at) => ({ path, content: texts[at]! }))),
  });
  const whole = pack(parts.map(({ content }) => content));
  return {
    name: "XLSX, sheets",
    importer: "table",
    whole,
    broken: fc.tuple(...contents).map(pack),
    items: SHEETS,
  };
}

/** An Outlook data file with broken messages, and sometimes broken trees that lead to them. */
function breakStore(): BrokenFormat {
  const message = (at: number) => ({
    properties: { "0037001F": `s ${at}`, "1000001F": `b ${at}`, "0C1F001F": "a@b.example", "0E070003": 1 },
    recipients: [{ "3001001F": "Ben", "0C150003": 1 }],
    attachments: [{ "3707001F": "a.txt", "37010102": Buffer.from("x"), "37050003": 1 }],
  });
  const messages = Array.from({ length: STORE_MESSAGES }, (_, at) => message(at));
  const whole = makePst([{ name: "Inbox", messages }]);
  const blocks = messages.map((_, at) => whole.indexOf(Buffer.from(`s ${at}`, "utf16le")) - 100);
  const trees = blocks.at(-1)! + 612;
  const tree = fc.option(overwrittenBytes(whole.subarray(trees)), { freq: 4 });
  const broken = fc.tuple(overwriteAt(whole, blocks, 128), tree).map(([store, end]) => {
    end?.copy(store, trees);
    return { "a.pst": store };
  });
  return { name: "PST", importer: "mail", whole: { "a.pst": whole }, broken, items: STORE_MESSAGES };
}

/** Formats whose files have many items, each of which is broken. */
export const containerFormats: readonly BrokenFormat[] = [
  breakMessages(),
  breakSlack(),
  breakSheets(),
  breakStore(),
];
