/** What changed in one folder since its cursor. */
import { ApiError } from "@rungs/contract";
import type { SourceChange } from "../live-source.ts";
import { fetchMessages, type MessageEntry } from "./fetch-messages.ts";
import { type FolderRead, toItem } from "./folder-read.ts";
import { type MailFolder, toLabel } from "./folders.ts";
import { imapLimits as limits } from "./limits.ts";
import { describeMessageState } from "./message-state.ts";

/** The progress in a folder. */
interface FolderCursor {
  /** Every message below was read. */
  readonly uid_next: number;
  /** The change number of the server up to which flags and deletions are known. */
  readonly modseq?: string | undefined;
  /** How many messages there were, once all were read. */
  readonly message_count?: number | undefined;
}

/** Reads the changes of a folder. One that did not change costs no more than its row in the list. */
export async function* readFolder(read: FolderRead): AsyncGenerator<SourceChange> {
  const { session, task, folder } = read;
  const { collection, path } = folder;
  const cursor = findCursor(read);
  if (isUnchanged(cursor, folder)) return;
  const { client, bound } = session;
  const opened = await bound(limits.short_bytes, () => client.mailboxOpen(path, { readOnly: true }));
  const { uidNext, exists: message_count, highestModseq } = opened;
  if (message_count > limits.messages)
    throw new ApiError("source_broken", { message: `A folder has more than ${limits.messages} messages.` });
  const modseq = highestModseq ? String(highestModseq) : undefined;
  const fresh = (await describeMessages(read, `${cursor.uid_next}:*`)).filter(
    ({ uid }) => uid >= cursor.uid_next,
  );
  yield* dropLeft(read, cursor, fresh);
  const isKnown =
    modseq !== undefined && cursor.modseq !== undefined && (yield* readDelta(read, cursor, fresh.length));
  const missed =
    isKnown || cursor.uid_next === 1 ? [] : yield* compareAll(read, cursor, message_count - fresh.length);
  for await (const step of fetchMessages(read, [...missed, ...fresh])) {
    if (step.kind !== "read-to") yield step;
    else if (step.uid >= cursor.uid_next)
      yield { kind: "cursor", collection, cursor: { uid_next: step.uid + 1, modseq } };
  }
  if (task.signal.aborted) return;
  const uid_next = Math.max(cursor.uid_next, uidNext, (fresh.at(-1)?.uid ?? 0) + 1);
  yield { kind: "cursor", collection, cursor: { uid_next, modseq, message_count } };
}

function findCursor({ task, folder }: FolderRead): FolderCursor {
  const found = task.cursors.find(({ collection }) => collection === folder.collection);
  // Only `readFolder` makes them.
  return (found?.cursor ?? { uid_next: 1 }) as FolderCursor;
}

function isUnchanged(cursor: FolderCursor, { uid_next, modseq, message_count }: MailFolder): boolean {
  return (
    modseq !== undefined &&
    cursor.modseq === modseq &&
    cursor.uid_next === uid_next &&
    cursor.message_count === message_count
  );
}

/** A killed run may have stored messages after its cursor that were deleted since. */
async function* dropLeft(
  { task, folder: { collection } }: FolderRead,
  { uid_next }: FolderCursor,
  fresh: readonly MessageEntry[],
): AsyncGenerator<SourceChange> {
  const there = new Set(fresh.map(({ uid }) => toItem(uid)));
  for await (const { item } of task.listItems(collection, { after: toItem(uid_next - 1) }))
    if (!there.has(item)) yield { kind: "remove", collection, item };
}

/**
 * Changed flags and deleted messages, by the server's count of changes (CONDSTORE and QRESYNC, RFC 7162). Returns whether
 * the folder then has as many messages as the server: without QRESYNC nothing says which ones were deleted.
 */
async function* readDelta(
  read: FolderRead,
  { uid_next, modseq }: FolderCursor,
  fresh_count: number,
): AsyncGenerator<SourceChange, boolean> {
  const { task, session, folder } = read;
  const { client } = session;
  const { collection } = folder;
  const vanished = new Set<number>();
  const onExpunge = ({ uid, vanished: isVanished }: { uid?: number; vanished?: boolean }) => {
    if (isVanished && uid !== undefined && uid < uid_next) vanished.add(uid);
  };
  client.on("expunge", onExpunge);
  const changed = uid_next === 1 ? [] : await describeMessages(read, `1:${uid_next - 1}`, modseq);
  client.off("expunge", onExpunge);
  for (const { uid, state } of changed) yield { kind: "state", collection, item: toItem(uid), state };
  let known = await task.countItems(collection, toItem(uid_next));
  for await (const { item } of task.listItems(collection, { items: [...vanished].map(toItem) })) {
    known -= 1;
    yield { kind: "remove", collection, item };
  }
  const { mailbox } = client;
  return mailbox !== false && mailbox.exists - fresh_count === known;
}

/** Compares every stored item with the server; returns the messages that were missed. */
async function* compareAll(
  read: FolderRead,
  { uid_next }: FolderCursor,
  expected: number,
): AsyncGenerator<SourceChange, MessageEntry[]> {
  const { task, folder } = read;
  const { collection } = folder;
  const listed = await describeMessages(read, `1:${uid_next - 1}`);
  const older = listed.filter(({ uid }) => uid < uid_next);
  requireComplete(read, older.length, expected);
  const there = new Map(older.map((entry) => [toItem(entry.uid), entry]));
  for await (const { item, state } of task.listItems(collection)) {
    if (item >= toItem(uid_next)) break;
    const entry = there.get(item);
    there.delete(item);
    if (!entry) yield { kind: "remove", collection, item };
    else if (JSON.stringify(entry.state) !== JSON.stringify(state))
      yield { kind: "state", collection, item, state: entry.state };
  }
  return [...there.values()];
}

/** A response that omits messages must not delete them here. Messages expunged meanwhile no longer count. */
function requireComplete({ session, folder }: FolderRead, listed: number, expected: number): void {
  const { mailbox } = session.client;
  const now = mailbox === false ? 0 : mailbox.exists;
  if (listed >= Math.min(expected, now)) return;
  throw new ApiError("source_broken", {
    message: `The server lists fewer messages than the folder has (${toLabel(folder.collection)}).`,
    next: "Nothing was deleted here; the next run retries.",
  });
}

const QUERY = { uid: true, flags: true, size: true, threadId: true, labels: true };

/** What the server says of messages, in the order of their numbers, all in one answer; only changed ones `since` a change number. */
async function describeMessages(
  { session, folder, task }: FolderRead,
  range: string,
  since?: string,
): Promise<MessageEntry[]> {
  const { client, bound } = session;
  const isGmail = client.capabilities.has("X-GM-EXT-1");
  const bytes = limits.short_bytes + folder.message_count * limits.entry_bytes;
  const options = { uid: true, ...(since === undefined ? {} : { changedSince: BigInt(since) }) };
  return bound(bytes, async () => {
    const found = new Map<number, MessageEntry>();
    for await (const { uid, flags, size = 0, threadId, labels } of client.fetch(range, QUERY, options)) {
      if (task.signal.aborted) break;
      if (!Number.isSafeInteger(uid) || uid < 1 || !flags) continue;
      const state = describeMessageState(flags, isGmail ? (labels ?? new Set()) : undefined);
      found.set(uid, { uid, state, size, thread_id: isGmail ? threadId : undefined });
    }
    task.signal.throwIfAborted();
    return [...found.values()].sort((a, b) => a.uid - b.uid);
  });
}
