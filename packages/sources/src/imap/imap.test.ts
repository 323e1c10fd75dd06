import assert from "node:assert/strict";
import { test } from "node:test";
import { MAIL_SERVER } from "../../../../testing/imap/mail-server.ts";
import {
  createSyncWorld,
  readStored,
  type SyncWorld,
  writeMessage,
} from "../../../../testing/imap/sync-world.ts";

const SERVERS = {
  "with every extension": [],
  "without QRESYNC": ["QRESYNC"],
  "without CONDSTORE, QRESYNC and LIST-STATUS": ["CONDSTORE", "QRESYNC", "LIST-STATUS", "IDLE"],
};

for (const [extensions, without] of Object.entries(SERVERS)) {
  test(`R76 a mailbox is followed through every change (${MAIL_SERVER}, ${extensions})`, async (t) => {
    const world = await createSyncWorld({ without });
    t.after(() => world.close());
    const box = await world.box();
    for (const id of ["a@x", "b@x", "c@x", "d@x"]) await box.append("INBOX", writeMessage(id), ["\\Seen"]);
    await box.mailboxCreate("Work");
    await box.append("Work", writeMessage("c@x"));
    const steps: Record<string, (box: Awaited<ReturnType<SyncWorld["box"]>>) => Promise<unknown>> = {
      "first run": async () => undefined,
      "nothing new": async () => undefined,
      "a message moves": async (box) => {
        await box.mailboxOpen("INBOX");
        await box.messageMove("1", "Work");
      },
      "flags change": async (box) => {
        await box.mailboxOpen("INBOX");
        await box.messageFlagsAdd("1", ["\\Flagged", "\\Answered"]);
        await box.messageFlagsRemove("2", ["\\Seen"]);
      },
      "a message is expunged, and one arrives": async (box) => {
        await box.mailboxOpen("INBOX");
        await box.messageDelete("1");
        await box.append("INBOX", writeMessage("e@x"), ["\\Draft"]);
      },
      "a folder is renamed": (box) => box.mailboxRename("Work", "Done"),
      "a folder is deleted and created anew with the same messages": async (box) => {
        await box.mailboxDelete("Done");
        await box.mailboxCreate("Done");
        await box.append("Done", writeMessage("c@x"), ["\\Seen"]);
      },
      "a folder is deleted": (box) => box.mailboxDelete("Done"),
    };
    for (const [step, change] of Object.entries(steps)) {
      await change(await world.box());
      const run = await world.sync();
      await world.compare();
      if (step === "nothing new") assert.deepEqual([run.added, run.changed, run.deleted], [0, 0, 0]);
    }
  });
}

test(`records stay when the source deletes them, if the owner wants so (${MAIL_SERVER})`, async (t) => {
  const world = await createSyncWorld({ keeps_deleted: true });
  t.after(() => world.close());
  const box = await world.box();
  await box.append("INBOX", writeMessage("a@x"));
  await world.sync();
  await box.mailboxOpen("INBOX");
  await box.messageDelete("1");
  assert.equal((await world.sync()).deleted, 0);
  assert.deepEqual(
    (await readStored(world.store)).map(([id]) => id),
    ["a@x"],
  );
});

test(`R77 syncing changes nothing at the server (${MAIL_SERVER})`, async (t) => {
  const world = await createSyncWorld();
  t.after(() => world.close());
  const box = await world.box();
  await box.append("INBOX", writeMessage("a@x"));
  const look = async () => {
    const status = await box.status("INBOX", { uidNext: true, uidValidity: true, highestModseq: true });
    await box.mailboxOpen("INBOX", { readOnly: true });
    const [message] = await box.fetchAll("1:*", { flags: true, internalDate: true });
    const flags = [...(message?.flags ?? [])].filter((flag) => flag !== "\\Recent");
    return { status, flags, modseq: message?.modseq, date: message?.internalDate };
  };
  const before = await look();
  await world.sync();
  await world.sync();
  assert.deepEqual(await look(), before);
});
