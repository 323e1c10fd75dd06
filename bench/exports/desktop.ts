/** Files of desktop programs: Apple's Messages, Outlook, workbooks. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MESSAGES_SCHEMA } from "../../testing/files/messages-db.ts";
import { type FixtureMsg, makeMsg } from "../../testing/files/ole.ts";
import { makePst } from "../../testing/files/pst.ts";
import { makeOds, makeXlsx, xlsxRow } from "../../testing/files/workbook.ts";
import type { BenchRecord } from "../corpus.ts";
import { createTexts, inGroups, numberOf, secondsOf } from "./texts.ts";

/** Seconds between 1970 and 2001, when Apple's epoch begins. */
const APPLE_EPOCH_S = 978_307_200;

/** The database of Apple's Messages, one chat. */
export function writeMessages(path: string, bytes: number): void {
  const database = new DatabaseSync(path);
  database.exec(`${MESSAGES_SCHEMA} BEGIN`);
  const message = database.prepare(
    "INSERT INTO message (ROWID, guid, text, handle_id, service, date, is_from_me, item_type, associated_message_type) VALUES (?, ?, ?, 1, 'iMessage', ?, 0, 0, 0)",
  );
  const chat = database.prepare("INSERT INTO chat_message_join VALUES (1, ?)");
  for (const text of createTexts(bytes, 140)) {
    const number = numberOf(text) + 1;
    message.run(number, text.id, text.body, BigInt(secondsOf(text) - APPLE_EPOCH_S) * 1_000_000_000n);
    chat.run(number);
  }
  database.exec("COMMIT");
  database.close();
}

/** Bodies of about this length fit the heap of a data file. */
const BODY_CHARS = 1500;

function toMsg({ id, subject, body, sent_at }: BenchRecord): FixtureMsg {
  return {
    properties: {
      "001A001F": "IPM.Note",
      "0037001F": subject,
      "1000001F": body.slice(0, 2 * BODY_CHARS),
      "0C1A001F": "Ada",
      "0C1F001F": "ada@example.org",
      "00390040": new Date(sent_at),
      "0E070003": 1,
      "1035001F": `<${id}@example.org>`,
    },
    recipients: [{ "3001001F": "Bob", "39FE001F": "bob@example.org", "0C150003": 1 }],
  };
}

/** A data file of Outlook, with 300 messages in each folder. */
export function writePst(path: string, bytes: number): void {
  const folders = Array.from(inGroups(createTexts(bytes, BODY_CHARS), 300), (texts, at) => ({
    name: `Folder ${at}`,
    messages: texts.map(toMsg),
  }));
  writeFileSync(path, makePst(folders));
}

/** A folder of MSG files. */
export function writeMsgFiles(path: string, bytes: number): void {
  mkdirSync(path);
  for (const text of createTexts(bytes, BODY_CHARS))
    writeFileSync(join(path, `${text.id}.msg`), makeMsg(toMsg(text)));
}

export function writeXlsx(path: string, bytes: number): void {
  const rows = Array.from(createTexts(bytes, 200), ({ id, subject, body }) => xlsxRow([id, subject, body]));
  writeFileSync(path, makeXlsx([{ name: "S", rows: xlsxRow(["id", "subject", "body"]) + rows.join("") }]));
}

export function writeOds(path: string, bytes: number): void {
  const row = (cells: readonly string[]) =>
    `<table:table-row>${cells.map((cell) => `<table:table-cell office:value-type="string"><text:p>${cell}</text:p></table:table-cell>`).join("")}</table:table-row>`;
  const rows = Array.from(createTexts(bytes, 200), ({ id, subject, body }) => row([id, subject, body]));
  writeFileSync(path, makeOds([{ name: "S", rows: row(["id", "subject", "body"]) + rows.join("") }]));
}
