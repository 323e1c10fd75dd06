import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { makeMessagesDatabase, PICTURE_PATH } from "../../../../testing/files/messages-db.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches, readAll } from "../read-all.test.ts";
import { imessage } from "./imessage.ts";
import { readAttributedText } from "./typedstream.ts";

const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");
const folder = mkdtempSync(join(tmpdir(), "rungs-test-"));
after(() => rmSync(folder, { recursive: true }));

const contents = { "Messages/chat.db": makeMessagesDatabase(), [`Messages/${PICTURE_PATH}`]: PICTURE };

test("a database of Messages gives chats, senders, times, reactions, answers and files", async () => {
  assert.ok(await matches(imessage, createMemoryFiles("x", contents)));
  assert.ok(
    await matches(imessage, createMemoryFiles("x", { "3d0d7e5fb2ce": makeMessagesDatabase() })),
    "by content",
  );
  const { stream, rejected } = await readAll(imessage, contents);
  assert.deepEqual(rejected, []);
  assert.deepEqual(
    [...stream("chats").values()].map(({ id, name, kind, members }) => [id, name, kind, members]),
    [
      ["iMessage;-;+15550001111", "+15550001111", "direct", ["+15550001111"]],
      ["iMessage;+;chat1", "Crew", "group", ["+15550001111", "cid@example.org"]],
    ],
  );
  assert.deepEqual(
    [...stream("messages").values()].map(({ chat, sender, sent_at, text, kind, is_own }) => [
      chat,
      sender,
      sent_at,
      text,
      kind,
      is_own,
    ]),
    [
      ["+15550001111", "+15550001111", "2024-01-01T00:00:00.000Z", "Is the paint dry?", "message", false],
      ["+15550001111", "Me", "2024-01-01T00:01:00.000Z", "Yes 🎉 – à point", "message", true],
      ["Crew", "cid@example.org", "2024-01-01T00:02:00.000Z", undefined, "message", false],
      ["Crew", "Me", "2024-01-01T00:03:00.000Z", "named the conversation Crew", "system", true],
    ],
  );
  const [question, answer] = [...stream("messages").values()];
  assert.deepEqual(question?.reactions, [{ emoji: "👍", sender: "Me" }]);
  assert.deepEqual([answer?.reply_to_id, answer?.service], ["M1", "iMessage"]);
  const [picture] = [...stream("attachments").values()];
  assert.deepEqual([picture?.name, picture?.file !== undefined], ["IMG 1.png", true]);
});

test("rows that are only in the write-ahead log are read", async () => {
  const path = join(folder, "chat.db");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  database.exec(
    "CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, text TEXT, handle_id INT, date INT, is_from_me INT); CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT); CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT); CREATE TABLE chat_message_join (chat_id INT, message_id INT); INSERT INTO message VALUES (1, 'M', 'old seconds', 0, 400000000, 1)",
  );
  const files = { "chat.db": readFileSync(path), "chat.db-wal": readFileSync(`${path}-wal`) };
  database.close();
  const { stream } = await readAll(imessage, files);
  assert.deepEqual(
    [...stream("messages").values()].map(({ text, sent_at }) => [text, sent_at]),
    [["old seconds", "2013-09-04T15:06:40.000Z"]],
  );
});

test("reading resumes after every checkpoint with the same records", async () => {
  const { items } = await readAll(imessage, contents);
  for (const [at, { checkpoint }] of items.entries()) {
    if (checkpoint === undefined) continue;
    const rest = await readAll(imessage, contents, checkpoint);
    assert.deepEqual(rest.items, items.slice(at + 1), checkpoint);
  }
});

test("a damaged database is rejected, and another program's is not mistaken for Messages", async () => {
  const bytes = makeMessagesDatabase();
  const damaged = Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x55)]);
  const { rejected } = await readAll(imessage, { "chat.db": damaged });
  assert.equal(rejected.length, 1);
  const view = join(folder, "view.db");
  const endless = new DatabaseSync(view);
  endless.exec(
    "CREATE VIEW message AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS guid FROM n; CREATE TABLE handle (id); CREATE TABLE chat (guid); CREATE TABLE chat_message_join (chat_id, message_id)",
  );
  endless.close();
  const computed = await readAll(imessage, { "chat.db": readFileSync(view) });
  assert.equal(computed.rejected[0]?.reason, "The database has no tables of Messages.");
  const path = join(folder, "other.db");
  const other = new DatabaseSync(path);
  other.exec("CREATE TABLE t (a)");
  other.close();
  assert.equal(await matches(imessage, createMemoryFiles("x", { "other.db": readFileSync(path) })), false);
  const named = await readAll(imessage, { "chat.db": readFileSync(path) });
  assert.equal(named.rejected[0]?.reason, "The database has no tables of Messages.");
});

test("an archived string is read at every length, and other bytes yield none", () => {
  const archive = (text: string) => {
    const body = Buffer.from(text);
    const size =
      body.length < 0x80
        ? [body.length]
        : body.length < 0x10000
          ? [0x81, body.length & 0xff, body.length >> 8]
          : [0x82, body.length & 0xff, (body.length >> 8) & 0xff, (body.length >> 16) & 0xff, 0];
    return Buffer.concat([
      Buffer.from("\x04\x0bstreamtyped\x81\xe8\x03NSString\x01\x94\x84\x01+", "latin1"),
      Buffer.from(size),
      body,
      Buffer.from("\x86\x84"),
    ]);
  };
  for (const text of ["a", "é", "x".repeat(127), "y".repeat(128), "日本".repeat(300), "z".repeat(70_000)]) {
    assert.equal(readAttributedText(archive(text)), text);
  }
  for (let end = 0; end < 40; end += 1) readAttributedText(archive("words").subarray(0, end));
  assert.equal(readAttributedText(Buffer.from("NSString and + nothing")), undefined);
});
