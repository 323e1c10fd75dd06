/** Mailboxes over IMAP. */

import { once } from "node:events";
import { mailManifest } from "@rungs/importers";
import { dropCollection } from "../drop-collection.ts";
import type { LiveSource, SourceAccess, SourceChange, SourceTask } from "../live-source.ts";
import { listFolders, parsePath } from "./folders.ts";
import { imapLimits as limits } from "./limits.ts";
import { combineCopies } from "./message-state.ts";
import { readFolder } from "./read-folder.ts";
import { openSession } from "./session.ts";
import { requireImapSettings } from "./settings.ts";

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
    // Last, so that a message that moved or was renumbered is never gone in between.
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

/** Waits until the server reports a change in the inbox (IDLE: RFC 2177). The other folders are looked at by the schedule. */
async function waitForMail(access: SourceAccess, signal: AbortSignal): Promise<void> {
  const session = await openSession(access, signal);
  const { client, bound } = session;
  try {
    if (!client.capabilities.has("IDLE")) {
      await once(signal, "abort");
      return;
    }
    await bound(limits.short_bytes, () => client.mailboxOpen("INBOX", { readOnly: true }));
    const changed = Promise.withResolvers<void>();
    for (const event of ["exists", "expunge", "flags", "close"] as const)
      client.once(event, () => changed.resolve());
    signal.addEventListener("abort", () => changed.resolve(), { once: true });
    client.idle().catch(() => changed.resolve());
    await changed.promise;
  } finally {
    await session.close();
  }
}
