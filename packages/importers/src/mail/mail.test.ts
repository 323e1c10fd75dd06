import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createMemoryFiles } from "../files/memory-files.ts";
import { openFiles } from "../files/open-files.ts";
import { matches as matchesFiles, readAll } from "../read-all.test.ts";
import { mail } from "./mail.ts";

const fixture = (name: string) => openFiles(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)));

/** Reads the only message of a file. */
async function readOne(
  content: string | Uint8Array,
  path = "a.eml",
): Promise<Readonly<Record<string, unknown>>> {
  const { stream } = await readAll(mail, { [path]: content });
  const [message] = stream("messages").values();
  assert.ok(message);
  return message;
}

const HEAD =
  "Message-ID: <a@example.org>\nFrom: ann@example.org\nSubject: S\nDate: 8 May 2024 09:00:00 +0000\n";

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

test("an HTML message gives its text; hidden text is kept apart, and scripts are dropped", async () => {
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

test("a Maildir gives folders and flags, and skips messages that are still being delivered", async () => {
  const { stream, rejected } = await readAll(mail, {
    ".Sent.2024/cur/1715158801.M4.host:2,S": `${HEAD}\nseen and answered`,
    "cur/1715158800.M1.host:2,RS": `${HEAD}\nseen and answered`,
    "new/1715162400.M2.host": `${HEAD}\nnew`,
    "tmp/1715162401.M3.host": HEAD.slice(0, -10),
    "projects/harbour/cur/1715162402.M5.host;2,FT": `${HEAD}\nin a folder of folders`,
  });
  const found = [...stream("messages").values()].map(({ labels, flags }) => [labels, flags]);
  assert.deepEqual(found, [
    [["Sent/2024"], ["seen"]],
    [undefined, ["replied", "seen"]],
    [undefined, undefined],
    [["projects/harbour"], ["flagged", "deleted"]],
  ]);
  assert.deepEqual(
    rejected.map(({ place }) => place),
    ["tmp/1715162401.M3.host"],
  );
});

test("an emlx file of Apple Mail gives its message without the property list after it", async () => {
  const { stream } = await readAll(mail, await fixture("apple.emlx"));
  const [message] = stream("messages").values();
  assert.equal(message?.body, "Apples and pears.");
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

test("each file of a folder is detected by its content; other files are rejected with place and reason", async () => {
  const files = {
    "a.txt": `${HEAD}\na message with an odd name`,
    "b.eml": "not a message at all",
    "c/list": `From - Mon Jun  3 12:50:27 1996\n${HEAD}\none\n\nFrom - Mon Jun  3 12:50:27 1996\n${HEAD}\ntwo\n`,
    "d.pst": "!BDN and so on",
    "e.mbox": "",
  };
  const { stream, rejected } = await readAll(mail, files);
  assert.equal(stream("messages").size, 3);
  assert.deepEqual(
    rejected.map(({ place }) => place),
    ["b.eml", "d.pst"],
  );
  assert.match(rejected[0]?.reason ?? "", /^Not mail/);
  assert.match(rejected[1]?.reason ?? "", /Outlook/);
});

test("a message over the limit is rejected with its place, and reading goes on", async () => {
  const line = "From - Mon Jun  3 12:50:27 1996\n";
  const large = `${line}${HEAD}\n${"x".repeat(65 * 1024 * 1024)}\n\n`;
  const { stream, rejected } = await readAll(mail, {
    "a.mbox": `${large}${line}${HEAD}\nsmall\n`,
    "b.eml": large.slice(32),
  });
  assert.equal(stream("messages").size, 1);
  assert.deepEqual(
    rejected.map(({ place }) => place),
    ["a.mbox, message 1 at byte 0", "b.eml"],
  );
  assert.match(rejected[0]?.reason ?? "", /64 MiB/);
});

test("resuming from any checkpoint gives exactly the items after it", async () => {
  const files = {
    "a.mbox": ["one", "two", "three"]
      .map((body) => `From - Mon Jun  3 12:50:27 1996\n${HEAD}\n${body}\n\n`)
      .join(""),
    "b.eml": `${HEAD}\nfour`,
    "c.bin": "no mail",
    "d.mbox": `From - Mon Jun  3 12:50:27 1996\n${HEAD}\nfive\n`,
  };
  const { items } = await readAll(mail, files);
  assert.equal(items.length, 6);
  for (const [at, { checkpoint }] of items.entries()) {
    const rest = await readAll(mail, files, checkpoint);
    assert.deepEqual(rest.items, items.slice(at + 1));
  }
});

test("mail folders become labels: of Thunderbird, Apple Mail, a Maildir and folders of files; not beside Gmail's labels", async () => {
  const box = (id: string, more = "") =>
    `From - Mon Jun  3 12:50:27 1996\n${HEAD.replace("<a@", `<${id}@`)}${more}\nbody\n`;
  const { stream } = await readAll(mail, {
    "Profile/Local Folders/Inbox": box("inbox"),
    "Profile/Local Folders/Archives.sbd/2010": box("archive"),
    "Exports/Work.mbox/mbox": box("apple"),
    "V10/Work.mbox/In.mbox/Messages/1.emlx": `${Buffer.byteLength(`${HEAD}\nbody`)}\n${HEAD}\nbody<plist/>`,
    "lay-k/sent/17.": `${HEAD.replace("<a@", "<enron@")}\nbody`,
    ".Sent.2024/cur/1.host:2,S": `${HEAD.replace("<a@", "<maildir@")}\nbody`,
    "Takeout/All mail.mbox": box("gmail", "X-Gmail-Labels: Sent,Opened\n"),
    "top.eml": `${HEAD.replace("<a@", "<top@")}\nbody`,
  });
  const labels = [...stream("messages").values()].map((each) => [
    String(each.message_id).split("@")[0],
    each.labels,
  ]);
  assert.deepEqual(Object.fromEntries(labels), {
    inbox: ["Inbox"],
    archive: ["Archives/2010"],
    apple: ["Work"],
    a: ["Work/In"],
    enron: ["sent"],
    maildir: ["Sent/2024"],
    gmail: ["Sent", "Opened"],
    top: undefined,
  });
});

test("a mailbox that is imported alone gives no label: the person named it", async () => {
  const files = createMemoryFiles("old.mbox", {
    "old.mbox": `From - Mon Jun  3 12:50:27 1996\n${HEAD}\nbody\n`,
  });
  const [message] = (await readAll(mail, files)).stream("messages").values();
  assert.equal(message?.labels, undefined);
});

test("the sender of a message in the archive of a mailing list is a person", async () => {
  const veiled = await readOne(
    "From: maechler at stat.math.ethz.ch (Martin =?utf-8?Q?M=C3=A4chler?=)\nSubject: S\n\nbody",
  );
  assert.deepEqual(
    [veiled.from, veiled.from_address],
    ["Martin Mächler <maechler@stat.math.ethz.ch>", "maechler@stat.math.ethz.ch"],
  );
  const plain = await readOne('From: "Meet at noon.today" <ann@example.org>\nSubject: S\n\nbody');
  assert.equal(plain.from_address, "ann@example.org");
});

test("R72 a message without header and body is rejected, not stored", async () => {
  const { items, rejected } = await readAll(mail, {
    a: "From - Mon Jun  3 12:50:27 1996\nX-Nothing: 1\n\n\n",
  });
  assert.deepEqual(
    [items.length, rejected[0]?.reason],
    [1, "It has no sender, subject or date, and no text."],
  );
});

test("mail is detected by its content, and other files are not taken for mail", async () => {
  const matches = (contents: Readonly<Record<string, string>>) =>
    matchesFiles(mail, createMemoryFiles("x", contents));
  assert.equal(await matches({ "notes.txt": `${HEAD}\nhello` }), true);
  assert.equal(
    await matches({ Inbox: `From - \n${HEAD}\nhello`, "Inbox.msf": "// <!-- <mdb:mork:z -->" }),
    true,
  );
  const others = [
    "From Russia with love\n",
    "# Title\n\nFrom: the start",
    "BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD\n",
    "BEGIN:VCALENDAR\nVERSION:2.0\n",
    "BEGIN:VCALENDAR\nPRODID:-//Google Inc//EN\nX-WR-CALNAME:Holidays\nX-WR-TIMEZONE:UTC\nBEGIN:VEVENT\nSTATUS:CONFIRMED\nX-A:1\n",
    "PRODID:-//Google Inc//EN\nX-WR-CALNAME:Holidays\nX-WR-TIMEZONE:UTC\nBEGIN:VEVENT\nSTATUS:CONFIRMED\nX-A:1\n",
    "name: value\nother: value\n",
    '[{"mapping": {}}]',
    "12\nnot mail",
    "",
  ];
  for (const content of others) assert.equal(await matches({ file: content }), false, content);
});
