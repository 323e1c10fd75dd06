import type { MessageEntry } from "./fetch-messages.ts";
import type { FolderRead } from "./folder-read.ts";
import { imapLimits as limits } from "./limits.ts";
import { describeMessageState } from "./message-state.ts";

const QUERY = { uid: true, flags: true, size: true, threadId: true, labels: true };

/** What the server says of messages, in the order of their numbers, all in one answer; only changed ones `since` a change number. */
export async function describeMessages(
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
