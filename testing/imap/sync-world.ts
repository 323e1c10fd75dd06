/** A mailbox on a real server, and a store that syncs it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownerScope } from "@rungs/contract";
import { mailManifest } from "@rungs/importers";
import { createSecretKeeper, runSync, type SyncContext, type SyncRun } from "@rungs/sources";
import type { Store } from "@rungs/store";
import { openSqlite } from "@rungs/store/sqlite";
import type { ImapFlow } from "imapflow";
import { openTestStore, type TestStore } from "../engines.ts";
import { type MailServer, type MailServerOptions, PASSWORD, USER } from "./mail-account.ts";
import { openMailbox, startMailServer } from "./mail-server.ts";

/** The mailbox, the store and the sync between them. */
export interface SyncWorld {
  readonly server: MailServer;
  readonly context: SyncContext;
  readonly store: Store;
  readonly folder: string;
  /** The owner's mail program. */
  box(): Promise<ImapFlow>;
  /** Runs the sync; fails the test when the run fails. */
  sync(): Promise<SyncRun>;
  /** Fails the test unless the store has what the server has, each message once. */
  compare(): Promise<void>;
  close(): Promise<void>;
}

const SYNC = "box";

/** Starts a server with an empty mailbox, and adds its sync to a new store. */
export async function createSyncWorld(
  options: MailServerOptions & {
    readonly settings?: object;
    readonly keeps_deleted?: boolean;
    /** Where the store is; a new folder by default. */
    readonly folder?: string;
    /** SQLite in that folder by default. */
    readonly engine?: string | undefined;
  } = {},
): Promise<SyncWorld> {
  const { settings, keeps_deleted = false } = options;
  const server = await startMailServer(options);
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "rungs-sync-"));
  const database = await openStore(options.engine, join(folder, "rungs.db"));
  const { store } = database;
  await store.putOwner("owner");
  const secrets = createSecretKeeper({ file: join(folder, "sources.key") });
  const context = { store, owner_id: "owner", now: Date.now, secrets, work_folder: folder };
  await store.addSync("owner", {
    sync_id: SYNC,
    connection_id: SYNC,
    kind: "imap",
    settings: { host: "127.0.0.1", port: server.port, user: USER, security: "none", ...settings },
    schedule: { kind: "every", minutes: 15 },
    keeps_deleted,
    secret: await secrets.seal(PASSWORD, SYNC),
  });
  let opened: ImapFlow | undefined;
  const box = async () => {
    if (!opened?.usable) opened = await openMailbox(server);
    return opened;
  };
  return {
    server,
    context,
    store,
    folder,
    box,
    async sync() {
      const run = await runSync(context, SYNC);
      assert.deepEqual([run.state, run.failure], ["done", undefined]);
      return run;
    },
    async compare() {
      assert.deepEqual(await readStored(store), await readServer(await box()));
    },
    async close() {
      opened?.close();
      await server.stop();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openStore(engine: string | undefined, file: string): Promise<Omit<TestStore, "openAnother">> {
  if (engine === "postgres") return openTestStore(engine);
  const store = await openSqlite(file);
  return { store, close: () => store.close() };
}

/** A message in the form that both sides share: its id, labels and flags. */
type SeenMessage = readonly [message_id: string, labels: readonly string[], flags: readonly string[]];

/** Every message in the store. */
export async function readStored(store: Store): Promise<SeenMessage[]> {
  const scope = ownerScope("owner", [{ connection_id: SYNC, manifest: mailManifest() }]);
  const seen: SeenMessage[] = [];
  const request = { connection_id: SYNC, stream: "messages", limit: 500, order: "asc" } as const;
  for (let page = await store.listRecords(scope, request); ; ) {
    for (const { data } of page.records) {
      const { message_id, labels = [], flags = [] } = data as Record<string, string[]>;
      seen.push([String(message_id), labels.toSorted(), flags.toSorted()]);
    }
    if (!page.next) break;
    page = await store.listRecords(scope, { ...request, after: page.next });
  }
  return seen.sort();
}

/** Every message on the server: the copies of a message in several folders are one. */
async function readServer(box: ImapFlow): Promise<SeenMessage[]> {
  const found = new Map<string, { labels: Set<string>; flags: Set<string>; kept: boolean }>();
  for (const { path, flags: kinds } of await box.list()) {
    if (kinds.has("\\Noselect")) continue;
    const opened = await box.mailboxOpen(path, { readOnly: true });
    if (opened.exists === 0) continue;
    for await (const { envelope, flags } of box.fetch("1:*", { envelope: true, flags: true })) {
      const id = (envelope?.messageId ?? "").replace(/[<>]/g, "");
      const one = found.get(id) ?? { labels: new Set(), flags: new Set(), kept: false };
      one.labels.add(path);
      one.kept ||= !flags?.has("\\Deleted");
      for (const flag of flags ?? []) if (NAMES[flag]) one.flags.add(NAMES[flag]);
      found.set(id, one);
    }
  }
  return [...found]
    .map(([id, { labels, flags, kept }]): SeenMessage => {
      if (kept) flags.delete("deleted");
      return [id, [...labels].sort(), [...flags].sort()];
    })
    .sort();
}

const NAMES: Readonly<Record<string, string>> = {
  "\\Seen": "seen",
  "\\Answered": "replied",
  "\\Flagged": "flagged",
  "\\Draft": "draft",
  "\\Deleted": "deleted",
};

/** A message with an id. */
export function writeMessage(id: string, { subject = `About ${id}`, body = `Text of ${id}.` } = {}): Buffer {
  const lines = [
    "From: Bob Example <bob@example.org>",
    "To: Ada <ada@example.org>",
    `Subject: ${subject}`,
    `Message-ID: <${id}>`,
    "Date: Mon, 02 Jan 2023 10:00:00 +0000",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    body,
    "",
  ];
  return Buffer.from(lines.join("\r\n"));
}
