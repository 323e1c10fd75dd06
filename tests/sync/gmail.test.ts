/** Gmail's extension (X-GM-EXT-1): labels and conversations, as in its exports. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ownerScope } from "@rungs/contract";
import { mailManifest } from "@rungs/importers";
import { openSqlite } from "@rungs/store/sqlite";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { type Answer, startHostileServer } from "../../testing/imap/hostile-server.ts";
import { writeMessage } from "../../testing/imap/sync-world.ts";

interface GmailMessage {
  readonly id: string;
  readonly thread_id: string;
  /** As written by the server. */
  labels: string;
}

const ALL = "[Gmail]/All Mail";
const LIST = [
  '* LIST (\\HasNoChildren) "/" INBOX',
  '* LIST (\\HasNoChildren) "/" "Work"',
  '* LIST (\\HasChildren \\Noselect) "/" "[Gmail]"',
  `* LIST (\\HasNoChildren \\All) "/" "${ALL}"`,
  '* LIST (\\HasNoChildren \\Junk) "/" "[Gmail]/Spam"',
  '* LIST (\\HasNoChildren \\Trash) "/" "[Gmail]/Trash"',
  "",
].join("\r\n");

/** A server with Gmail's extensions, and a home that syncs it. */
async function open(t: TestContext, boxes: Readonly<Record<string, GmailMessage[]>>) {
  const folder = mkdtempSync(join(tmpdir(), "rungs-gmail-"));
  let opened = "";
  let modseq = 5;
  const named = (rest: string) => /"([^"]+)"/.exec(rest)?.[1] ?? rest.split(" ")[0] ?? "";
  const listed = (path: string) => boxes[path] ?? boxes[ALL] ?? [];
  const status: Answer = (socket, tag, _name, rest) => {
    const path = named(rest);
    const { length } = listed(path);
    socket.write(
      `* STATUS "${path}" (MESSAGES ${length} UIDNEXT ${length + 1} UIDVALIDITY 7 HIGHESTMODSEQ ${modseq})\r\n${tag} OK done\r\n`,
    );
  };
  const examine: Answer = (socket, tag, _name, rest) => {
    opened = named(rest);
    const { length } = listed(opened);
    socket.write(
      `* ${length} EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT ${length + 1}] x\r\n* OK [HIGHESTMODSEQ ${modseq}] x\r\n${tag} OK done\r\n`,
    );
  };
  const fetch: Answer = (socket, tag, _name, rest) => {
    const lines = listed(opened).map(({ id, thread_id, labels }, at) => {
      const text = writeMessage(id).toString("latin1");
      const uid = at + 1;
      return rest.includes("BODY")
        ? `* ${uid} FETCH (UID ${uid} BODY[] {${text.length}}\r\n${text})\r\n`
        : `* ${uid} FETCH (X-GM-THRID ${thread_id} X-GM-LABELS (${labels}) UID ${uid} FLAGS (\\Seen) MODSEQ (${modseq}) RFC822.SIZE ${text.length})\r\n`;
    });
    socket.write(`${lines.join("")}${tag} OK done\r\n`);
  };
  const server = await startHostileServer({
    CAPABILITY: "* CAPABILITY IMAP4rev1 SPECIAL-USE ENABLE CONDSTORE X-GM-EXT-1\r\n",
    LIST: (socket, tag, _name, rest) => {
      const root = '* LIST (\\Noselect) "/" ""\r\n';
      socket.write(`${rest === '"" ""' ? root : LIST}${tag} OK done\r\n`);
    },
    STATUS: status,
    EXAMINE: examine,
    "UID FETCH": fetch,
  });
  t.after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { RUNGS_HOME: join(folder, "home"), PASSWORD: "pw" };
  const rungs = (...argv: string[]) => rungsHere(argv, env);
  const address = `imap+plain://ada@127.0.0.1:${server.port}`;
  return {
    folder,
    rungs,
    server,
    add: () => rungs("sync", "add", "imap", address, "--id", "box", "--password-env", "PASSWORD"),
    run: async () => (await rungs("sync", "run", "box")).out,
    changed: () => {
      modseq += 1;
    },
    async list() {
      const store = await openSqlite(join(folder, "home", "rungs.db"));
      const scope = ownerScope("owner", [{ connection_id: "box", manifest: mailManifest() }]);
      const request = { connection_id: "box", stream: "messages", limit: 100, order: "asc" } as const;
      const { records } = await store.listRecords(scope, request);
      await store.close();
      return records
        .map(({ data: { message_id, thread_id, labels } }) => ({ message_id, thread_id, labels }))
        .sort((a, b) => String(a.message_id).localeCompare(String(b.message_id)));
    },
  };
}

test("R76 Gmail's messages are read once, with its labels and conversations, and follow a change of labels", async (t) => {
  const first: GmailMessage = {
    id: "a@x",
    thread_id: "1770000000000000001",
    labels: '"\\\\Inbox" "\\\\Important" Work "&ZeVnLIqe-"',
  };
  const { add, run, list, changed, server } = await open(t, {
    [ALL]: [first, { id: "b@x", thread_id: "1770000000000000001", labels: '"\\\\Sent"' }],
    "[Gmail]/Spam": [{ id: "spam@x", thread_id: "1770000000000000003", labels: "" }],
    "[Gmail]/Trash": [],
  });
  await add();
  const done = await run();
  assert.match(done, /done, 3 added/);
  const opened = server.commands.filter((line) => line.startsWith("EXAMINE"));
  assert.ok(
    opened.every((line) => line.includes("[Gmail]/")),
    `${opened}`,
  );
  assert.deepEqual(await list(), [
    { message_id: "a@x", thread_id: "1770000000000000001", labels: ["Important", "Inbox", "Work", "日本語"] },
    { message_id: "b@x", thread_id: "1770000000000000001", labels: ["Sent"] },
    { message_id: "spam@x", thread_id: "1770000000000000003", labels: undefined },
  ]);
  assert.match(await run(), /done, 0 added, 0 changed/);
  first.labels = '"\\\\Starred" Done';
  changed();
  assert.match(await run(), /done, 0 added, 1 changed, 0 deleted/);
  assert.deepEqual((await list())[0]?.labels, ["Done", "Starred"]);
});

test("R76 a message in a Takeout export and in Gmail is one record, with the current labels", async (t) => {
  const thread_id = "1770000000000000009";
  const { folder, rungs, add, run, list } = await open(t, {
    [ALL]: [{ id: "a@x", thread_id, labels: '"\\\\Inbox" Work' }],
    "[Gmail]/Spam": [],
    "[Gmail]/Trash": [],
  });
  const mbox = join(folder, "All mail.mbox");
  const text = writeMessage("a@x").toString("utf8").replaceAll("\r\n", "\n");
  const headers = `X-GM-THRID: ${thread_id}\nX-Gmail-Labels: Archived,Old\n`;
  writeFileSync(mbox, `From 1@xxx Mon Jan 02 10:00:00 +0000 2023\n${headers}${text}\n`);
  await rungs("import", mbox, "--connection", "box");
  assert.deepEqual((await list())[0]?.labels, ["Archived", "Old"]);
  await add();
  assert.match(await run(), /done, 0 added, 1 changed/);
  assert.deepEqual(await list(), [{ message_id: "a@x", thread_id, labels: ["Inbox", "Work"] }]);
});
