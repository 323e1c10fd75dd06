/** The same message from an export and from a mailbox is one record. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { MAIL_SERVER } from "../../testing/imap/mail-server.ts";
import { createSyncWorld, readStored, writeMessage } from "../../testing/imap/sync-world.ts";

/** A message with a plain text attachment, and one in base64. */
const withFiles = Buffer.from(
  [
    "From: =?utf-8?B?5bGx55Sw?= <yamada@example.org>",
    "To: ada@example.org",
    "Subject: =?utf-8?Q?Caf=C3=A9_=F0=9F=8D=8A?=",
    "Message-ID: <files@x>",
    "Date: Tue, 03 Jan 2023 10:00:00 +0900",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "<p>=E6=BC=A2=E5=AD=97 and more</p>",
    "--b",
    'Content-Type: text/plain; name="notes.txt"',
    'Content-Disposition: attachment; filename="notes.txt"',
    "",
    "first line",
    "second line",
    "--b",
    'Content-Type: application/octet-stream; name="x.bin"',
    'Content-Disposition: attachment; filename="x.bin"',
    "Content-Transfer-Encoding: base64",
    "",
    "AAECAwQFBgcICQ==",
    "--b--",
    "",
  ].join("\r\n"),
);
const messages = [
  writeMessage("plain@x", { body: "From the hill.\r\n\r\nFrom here on.\r\n" }),
  writeMessage("empty@x", { body: "" }),
  writeMessage("wide@x", { subject: "漢字 🍊", body: "漢字 🍊 ".repeat(2_000) }),
  withFiles,
];

test(`R76 a message in both an imported mbox file and a mailbox is one record (${MAIL_SERVER})`, async (t) => {
  const world = await createSyncWorld();
  t.after(() => world.close());
  const file = join(world.folder, "export.mbox");
  const lines = messages.map((each) =>
    each
      .toString("utf8")
      .replaceAll("\r\n", "\n")
      .replaceAll(/^(>*From )/gm, ">$1"),
  );
  // The header field From has a colon, and stays as it is.
  const mbox = lines.map((text) => `From bob@example.org Mon Jan  2 10:00:00 2023\n${text}\n`).join("");
  writeFileSync(file, mbox);
  const imported = await rungsHere(["import", file, "--connection", "box", "--json"], {
    RUNGS_HOME: world.folder,
  });
  assert.equal(JSON.parse(imported.out).added, 6);
  const box = await world.box();
  for (const each of messages) await box.append("INBOX", each, ["\\Seen"]);
  const run = await world.sync();
  assert.deepEqual([run.added, run.deleted, run.changed], [0, 0, messages.length]);
  await world.compare();
  assert.equal((await readStored(world.store)).length, messages.length);
});
