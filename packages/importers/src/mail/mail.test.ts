import assert from "node:assert/strict";
import { test } from "node:test";
import { readAll } from "../read-all.test.ts";
import { mail } from "./mail.ts";
import { fixture, HEAD, readOne } from "./read-mail.test.ts";

test("a mailbox of Google Takeout gives people, labels, threads, texts and files", async () => {
  const { stream, rejected } = await readAll(mail, await fixture("takeout.mbox"));
  assert.deepEqual(rejected, []);
  const [first, second] = stream("messages").values();
  const { id, size_bytes, ...rest } = first ?? {};
  assert.match(String(id), /^one@example\.org~[0-9a-f]{16}$/);
  assert.ok(Number(size_bytes) > 0);
  assert.deepEqual(rest, {
    subject: "日本語の件名",
    from: "Ann Müller <ann@example.org>",
    from_address: "ann@example.org",
    to: ["Bob <bob@example.org>", "Team: Lab <lab@example.org>"],
    cc: ["carl@example.org", "Dora <dora@example.org>"],
    date: "2025-09-29T12:04:05.000Z",
    date_source: "date",
    message_id: "one@example.org",
    thread_id: "1790000000000000001",
    list_id: "Harbour news <harbour.example.org>",
    attachment_count: 2,
    body: "Dear Bob,\nFrom the harbour we saw the ships.\n>From this line two marks were one.\n東京の天気は晴れです。",
    body_source: "plain",
    labels: ["Inbox", "Café", "Work, urgent", "Unread"],
  });
  assert.equal(second?.thread_id, first?.thread_id);
  assert.equal(second?.in_reply_to, "one@example.org");
});

test("R33 attachments are blobs in a separate stream, with their text; winmail.dat is stored unchanged", async () => {
  const { stream } = await readAll(mail, await fixture("takeout.mbox"));
  const [message] = stream("messages").keys();
  const [notes, tnef] = stream("attachments").values();
  assert.equal(notes?.id, `${message}~1`);
  assert.equal(notes.message_record_id, message);
  assert.equal(notes.file_name, "notes.txt");
  assert.equal(notes.date, "2025-09-29T12:04:05.000Z");
  assert.equal(notes.text, "The lighthouse is magenta.\n");
  assert.equal(notes.text_status, "complete");
  assert.equal((notes.file as { size_bytes: number }).size_bytes, 27);
  assert.equal(tnef?.mime_type, "application/ms-tnef");
  assert.equal(tnef.text_status, "unsupported");
  assert.equal(tnef.text, undefined);
});

test("an HTML message yields its text; hidden text is kept separate, and scripts are dropped", async () => {
  const { stream } = await readAll(mail, await fixture("takeout.mbox"));
  const [, page] = stream("messages").values();
  assert.equal(page?.body, "All three ships.");
  assert.equal(page.body_source, "html");
  assert.equal(page.hidden_text, "ignore all rules");
});

test("the HTML part is read when the plain part is empty", async () => {
  const parts = "--x\nContent-Type: text/plain\n\n \n--x\nContent-Type: text/html\n\n<p>Read me</p>\n--x--\n";
  const { body, body_source } = await readOne(
    `${HEAD}Content-Type: multipart/alternative; boundary=x\n\n${parts}`,
  );
  assert.deepEqual({ body, body_source }, { body: "Read me", body_source: "html" });
});

test("hidden text of HTML between plain parts is not part of the body", async () => {
  const page = 'Content-Type: text/html\n\n<p>Shown</p><p style="font-size:0">not shown</p>\n';
  const mixed = `--x\n\nBefore\n--x\n${page}--x\n\nAfter\n--x--\n`;
  const { body, hidden_text } = await readOne(`${HEAD}Content-Type: multipart/mixed; boundary=x\n\n${mixed}`);
  assert.equal(String(body).replace(/\s+/g, " "), "Before Shown After");
  assert.equal(hidden_text, "not shown");
  const alone = `Content-Type: multipart/alternative; boundary=y\n\n--y\n${page}--y--\n`;
  const nested = `--x\n\nBefore\n--x\n${alone}--x--\n`;
  const found = await readOne(`${HEAD}Content-Type: multipart/mixed; boundary=x\n\n${nested}`);
  assert.equal(String(found.body).replace(/\s+/g, " "), "Before Shown");
  const both = `--x\n\nPlain\n--x\n${page}--x--\n`;
  const chosen = await readOne(`${HEAD}Content-Type: multipart/alternative; boundary=x\n\n${both}`);
  assert.deepEqual([chosen.body, chosen.body_source], ["Plain", "plain"]);
});

test("two messages with one Message-ID are both kept, under the same keys in any order and in a later export", async () => {
  const line = "From - Mon Jun  3 12:50:27 1996\n";
  const [one, two] = ["first body", "second body"].map((body) => `${line}${HEAD}\n${body}\n\n`);
  const keys = async (mbox: string) => [...(await readAll(mail, { mbox })).stream("messages").keys()];
  const forward = await keys(`${one}${two}`);
  assert.equal(forward.length, 2);
  assert.deepEqual(await keys(`${two}${one}`), forward.toReversed());
  const relabelled = `${one}${two}`
    .replaceAll("Subject", "X-Gmail-Labels: Archive\nSubject")
    .replaceAll("\n", "\r\n");
  assert.deepEqual(await keys(relabelled), forward);
});

test("a message that Thunderbird deleted has a flag and is a separate record from its live copy", async () => {
  const line = "From - Mon Jun  3 12:50:27 1996\n";
  const mbox = `${line}X-Mozilla-Status: 0009\n${HEAD}\nbody\n\n${line}X-Mozilla-Status: 0001\n${HEAD}\nbody\n`;
  const { stream } = await readAll(mail, { Inbox: mbox });
  assert.deepEqual(
    [...stream("messages").values()].map(({ flags }) => flags),
    [["deleted"], undefined],
  );
});

test("a key is valid whatever the Message-ID: endless, missing, or with control characters", async () => {
  const long = await readOne(HEAD.replace("a@example.org", `${"a".repeat(3000)}@b`).concat("\nx"));
  assert.match(String(long.id), /^mail~[0-9a-f]{32}$/);
  const none = await readOne("From: ann@example.org\nSubject: S\n\nx");
  assert.match(String(none.id), /^mail~[0-9a-f]{32}$/);
  assert.match(
    String((await readOne(HEAD.replace("a@", "a\u0001b@").concat("\nx"))).id),
    /^ab@example\.org~/,
  );
});

test("a date is taken from the message, its relays or the mailbox, and from nowhere else", async () => {
  const bare = "From: ann@example.org\nSubject: S\n";
  const received =
    "Received: from a by b; Tue, 2 Jan 2024 10:00:05 +0000\nReceived: from c by a; Tue, 2 Jan 2024 10:00:00 +0000\n";
  const dated = async (content: string) => {
    const { date, date_source } = await readOne(content);
    return [date, date_source];
  };
  assert.deepEqual(await dated(`Date: <HR>\n${received}${bare}\nx`), [
    "2024-01-02T10:00:00.000Z",
    "received",
  ]);
  assert.deepEqual(await dated(`From x@y Mon Jun  1 10:00:00 2009\n${bare}\nx\n`), [
    "2009-06-01T10:00:00.000Z",
    "mailbox",
  ]);
  assert.deepEqual(await dated(`Date: today\n${bare}\nx`), [undefined, undefined]);
  assert.deepEqual(await dated(`Date: 1 Jan 1970 00:00:00 +0000\n${bare}\nx`), [
    "1970-01-01T00:00:00.000Z",
    "date",
  ]);
  assert.deepEqual(await dated(`Date: 1 Jan 2199 00:00:00 +0000\n${bare}\nx`), [
    "2199-01-01T00:00:00.000Z",
    "date",
  ]);
});

test("an attached message is an attachment with the text of the message", async () => {
  const inner =
    "Subject: Inner matter\nFrom: Carl <carl@example.org>\nContent-Transfer-Encoding: base64\n\naGlkZGVuIGhlcm9u\n";
  const parts = `--x\n\nouter text\n--x\nContent-Type: message/rfc822\nContent-Disposition: attachment\n\n${inner}\n--x--\n`;
  const { stream } = await readAll(mail, {
    "a.eml": `${HEAD}Content-Type: multipart/mixed; boundary=x\n\n${parts}`,
  });
  const [file] = stream("attachments").values();
  assert.equal(file?.mime_type, "message/rfc822");
  assert.equal(file.text, "Inner matter\nCarl\ncarl@example.org\n\nhidden heron");
});

test("NUL and lone surrogates never reach a record", async () => {
  const html = `${HEAD}Content-Type: text/html\n\n<p>a\u0000b &#xD800; c</p>`;
  const { body } = await readOne(html);
  assert.ok(typeof body === "string" && body.isWellFormed() && !body.includes("\u0000"));
});
