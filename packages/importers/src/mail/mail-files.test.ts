import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches as matchesFiles, readAll } from "../read-all.test.ts";
import { mail } from "./mail.ts";
import { fixture, HEAD, readOne } from "./read-mail.test.ts";

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

test("mail is detected by its content, and other files are not mistaken for mail", async () => {
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
