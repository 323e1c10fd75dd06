/** Downloads messages and reads them as the mail importer does, so that a message has the same record from either. */
import type { ImportedItem, ImportedRecord } from "@rungs/contract";
import { MESSAGE_MAX_BYTES, MESSAGE_TOO_LARGE, readMailItem } from "@rungs/importers";
import type { SourceChange } from "../live-source.ts";
import { type FolderRead, toItem } from "./folder-read.ts";
import { toLabel } from "./folders.ts";
import { imapLimits as limits } from "./limits.ts";
import type { MessageState } from "./message-state.ts";

/** A message as the server describes it. */
export interface MessageEntry {
  readonly uid: number;
  readonly size: number;
  readonly state: MessageState;
  /** Gmail's conversation. */
  readonly thread_id: string | undefined;
}

/** A change, or the number of the message up to which all were read. */
export type FetchStep = SourceChange | { readonly kind: "read-to"; readonly uid: number };

/** How much is asked for at a time. */
const CHUNK_MESSAGES = 200;
const CHUNK_BYTES = 16 * 1024 ** 2;

/** Reads messages, in the order of their numbers. */
export async function* fetchMessages(
  read: FolderRead,
  entries: readonly MessageEntry[],
): AsyncGenerator<FetchStep> {
  const { task, folder } = read;
  let done = 0;
  const collection = toLabel(folder.collection);
  for (const chunk of splitChunks(entries)) {
    if (task.signal.aborted) return;
    yield* fetchChunk(read, chunk);
    done += chunk.length;
    task.report({ collection, done, total: entries.length });
    if (!task.signal.aborted) yield { kind: "read-to", uid: chunk.at(-1)?.uid ?? 0 };
  }
}

async function* fetchChunk(
  { session, task, folder }: FolderRead,
  chunk: readonly MessageEntry[],
): AsyncGenerator<SourceChange> {
  const { collection } = folder;
  const name = (uid: number) => `${toLabel(collection)}, message ${uid}`;
  for (const { uid, size, state } of chunk) {
    if (size <= MESSAGE_MAX_BYTES) continue;
    const place = name(uid);
    yield { kind: "reject", collection, item: toItem(uid), place, reason: MESSAGE_TOO_LARGE, state };
  }
  const wanted = new Map(
    chunk.filter(({ size }) => size <= MESSAGE_MAX_BYTES).map((entry) => [entry.uid, entry]),
  );
  if (wanted.size === 0) return;
  const bytes = chunk.reduce((sum, { size }) => sum + Math.min(size, MESSAGE_MAX_BYTES), 0);
  const budget = 2 * bytes + limits.line_bytes;
  const contents = await session.bound(budget, () => download(session.client, [...wanted.keys()]));
  for (const [uid, content] of contents) {
    const entry = wanted.get(uid);
    if (!entry) continue;
    const { state, thread_id } = entry;
    const place = name(uid);
    const items: ImportedItem[] = [];
    for await (const each of readMailItem(task, { content, place, thread_id })) items.push(each);
    const records = items.filter((each): each is ImportedRecord => each.kind === "record");
    const [first, ...others] = records;
    const item = toItem(uid);
    if (first) yield { kind: "put", collection, item, state, records: [first, ...others] };
    else {
      const [problem] = items;
      const reason = problem?.kind === "rejected" ? problem.reason : "It cannot be read.";
      yield { kind: "reject", collection, item, place, reason, state };
    }
  }
}

async function download(
  client: FolderRead["session"]["client"],
  uids: readonly number[],
): Promise<Map<number, Buffer>> {
  const contents = new Map<number, Buffer>();
  for await (const { uid, source } of client.fetch(
    formatSet(uids),
    { uid: true, source: true },
    { uid: true },
  ))
    if (source) contents.set(uid, source);
  return contents;
}

/** `1:3,7` */
function formatSet(uids: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const uid of uids) {
    const last = ranges.at(-1);
    if (last && last[1] === uid - 1) last[1] = uid;
    else ranges.push([uid, uid]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}:${to}`)).join(",");
}

function* splitChunks(entries: readonly MessageEntry[]): Generator<readonly MessageEntry[]> {
  let chunk: MessageEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (chunk.length > 0 && (chunk.length >= CHUNK_MESSAGES || bytes + entry.size > CHUNK_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(entry);
    bytes += Math.min(entry.size, MESSAGE_MAX_BYTES);
  }
  if (chunk.length > 0) yield chunk;
}
