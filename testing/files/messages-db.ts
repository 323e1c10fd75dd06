/** A small database of Apple's Messages, for tests. */
import { makeDatabase } from "./database.ts";

/** The path of the picture, below the folder of the database. */
export const PICTURE_PATH = "Attachments/ab/11/at_1/IMG 1.png";

/** The tables of the database, and a chat with one person. */
export const MESSAGES_SCHEMA = `
CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, text TEXT, attributedBody BLOB, handle_id INTEGER, service TEXT, date INTEGER,
  date_edited INTEGER, is_from_me INTEGER, item_type INTEGER, group_title TEXT, thread_originator_guid TEXT, associated_message_guid TEXT,
  associated_message_type INTEGER, associated_message_emoji TEXT);
CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT, service TEXT);
CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT, style INTEGER, chat_identifier TEXT, display_name TEXT);
CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER);
CREATE TABLE chat_handle_join (chat_id INTEGER, handle_id INTEGER);
CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY, guid TEXT, filename TEXT, mime_type TEXT, transfer_name TEXT, total_bytes INTEGER);
CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER);
INSERT INTO handle VALUES (1, '+15550001111', 'iMessage');
INSERT INTO chat VALUES (1, 'iMessage;-;+15550001111', 45, '+15550001111', '');
INSERT INTO chat_handle_join VALUES (1, 1);
`;

const CREW = `
INSERT INTO handle VALUES (2, 'cid@example.org', 'iMessage');
INSERT INTO chat VALUES (2, 'iMessage;+;chat1', 43, 'chat1', 'Crew');
INSERT INTO chat_handle_join VALUES (2, 1), (2, 2);
INSERT INTO attachment VALUES (1, 'A1', '~/Library/Messages/${PICTURE_PATH}', 'image/png', 'IMG 1.png', 12);
INSERT INTO message_attachment_join VALUES (3, 1);
INSERT INTO chat_message_join VALUES (1, 1), (1, 2), (2, 3), (1, 4), (1, 5), (1, 6), (2, 7);
`;

/** Nanoseconds since 2001 of a minute of 2024. */
const minute = (at: number) => BigInt(Date.UTC(2024, 0, 1, 0, at) - Date.UTC(2001, 0)) * 1_000_000n;

/** The bytes of the database: a question, its answer with only archived text, a picture, tapbacks, and a rename. */
export function makeMessagesDatabase(): Uint8Array {
  return makeDatabase((database) => {
    database.exec(MESSAGES_SCHEMA + CREW);
    const insert = database.prepare(
      "INSERT INTO message (ROWID, guid, text, attributedBody, handle_id, service, date, is_from_me, item_type, group_title, thread_originator_guid, associated_message_guid, associated_message_type) VALUES (?, ?, ?, ?, ?, 'iMessage', ?, ?, ?, ?, ?, ?, ?)",
    );
    insert.run(1, "M1", "Is the paint dry?", null, 1, minute(0), 0, 0, null, null, null, 0);
    const body = Buffer.from("Yes 🎉 – à point");
    const archive = Buffer.concat([
      Buffer.from(
        "\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\x00\x84\x84\x08NSObject\x00\x85\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+",
        "latin1",
      ),
      Buffer.from([body.length]),
      body,
      Buffer.from("\x86\x84\x02iI", "latin1"),
    ]);
    insert.run(2, "M2", null, archive, 0, minute(1), 1, 0, null, "M1", null, 0);
    insert.run(3, "M3", "\ufffc", null, 2, minute(2), 0, 0, null, null, null, 0);
    insert.run(4, "T1", "Liked “Is the paint dry?”", null, 0, minute(2), 1, 0, null, null, "p:0/M1", 2001);
    insert.run(5, "T2", "Loved “Is the paint dry?”", null, 1, minute(2), 0, 0, null, null, "bp:M1", 2000);
    insert.run(6, "T3", "Removed a heart", null, 1, minute(2), 0, 0, null, null, "p:0/M1", 3000);
    insert.run(7, "M7", null, null, 0, minute(3), 1, 2, "Crew", null, null, 0);
  });
}
