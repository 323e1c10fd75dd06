/** Mailboxes over IMAP. */
import { mailManifest } from "@rungs/importers";
import { dropCollection } from "../drop-collection.ts";
import type { LiveSource, SourceChange, SourceTask } from "../live-source.ts";
import { listFolders, parsePath } from "./folders.ts";
import { combineCopies } from "./message-state.ts";
import { readFolder } from "./read-folder.ts";
import { openSession } from "./session.ts";
import { requireImapSettings } from "./settings.ts";
import { waitForMail } from "./wait-for-mail.ts";

/** Reads a mailbox: its folders are labels, and a message in several folders is one record. */
export const imap: LiveSource = {
  kind: "imap",
  label: "Mailbox (IMAP)",
  hasSecret: () => true,
  declare: mailManifest,
  requireSettings: requireImapSettings,
  describe(settings) {
    const { user, host, port, oauth } = requireImapSettings(settings);
    const hosts = [`${host}:${port}`, ...(oauth ? [new URL(oauth.token_url).host] : [])];
    return { account: user, hosts };
  },
  read,
  combine: combineCopies,
  async check(access, signal) {
    await (await openSession(access, signal)).close();
  },
  wait: waitForMail,
};

async function* read(task: SourceTask): AsyncGenerator<SourceChange> {
  const session = await openSession(task, task.signal);
  try {
    const { folders, unreadable } = await listFolders(session, task);
    for (const path of unreadable) task.note(`The folder ${path} cannot be read; it stays as it was.`);
    for (const folder of folders) {
      if (task.signal.aborted) return;
      yield* readFolder({ session, task, folder });
    }
    // Last, so that a message that moved or was numbered anew never goes in between.
    const there = new Set(folders.map(({ collection }) => collection));
    const kept = new Set(unreadable);
    for (const { collection } of task.cursors) {
      if (task.signal.aborted) return;
      if (!there.has(collection) && !kept.has(parsePath(collection))) yield* dropCollection(task, collection);
    }
  } finally {
    await session.close();
  }
}
