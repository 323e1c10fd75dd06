/** Downloads messages and reads them as the mail importer does, so that a message has the same record from either. */
import { setImmediate } from "node:timers/promises";
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

/** A change, or the highest message number up to which everything was read. */
export type FetchStep = SourceChange | { readonly kind: "read-to"; readonly uid: number };

/** The size of a request. Two chunks are in memory: one is parsed while the next downloads. */
const CHUNK_MESSAGES = 500;
const CHUNK_BYTES = 16 * 1024 ** 2;

/** A set of message numbers. */
type Contents = ReadonlyMap<number, Buffer>;

/** Reads messages, in the order of their numbers. */
export async function* fetchMessages(
  read: FolderRead,
  entries: readonly MessageEntry[],
): AsyncGenerator<FetchStep> {
  const { task, folder } = read;
  let done = 0;
  const collection = toLabel(folder.collection);
  for await (const { chunk, contents } of downloadAhead(read, splitChunks(entries))) {
    yield* readChunk(read, chunk, contents);
    done += chunk.length;
    task.report({ collection, done, total: entries.length });
    if (!task.signal.aborted) yield { kind: "read-to", uid: chunk.at(-1)?.uid ?? 0 };
  }
}

interface DownloadedChunk {
  readonly chunk: readonly MessageEntry[];
  readonly contents: Contents;
}

/**
 * Prefetches the next chunk while the current one is parsed and stored, so that the server and this process work in
 * parallel.
 */
async function* downloadAhead(
  read: FolderRead,
  chunks: Iterable<readonly MessageEntry[]>,
): AsyncGenerator<DownloadedChunk> {
  let ahead: Promise<DownloadedChunk> | undefined;
  for (const chunk of chunks) {
    const ready = await ahead;
    if (read.task.signal.aborted) return;
    ahead = downloadChunk(read, chunk).then((contents) => ({ chunk, contents }));
    // The `await` throws the failure, after the items before it.
    ahead.catch(() => undefined);
    if (ready) yield ready;
  }
  const last = await ahead;
  if (last && !read.task.signal.aborted) yield last;
}

async function downloadChunk({ session }: FolderRead, chunk: readonly MessageEntry[]): Promise<Contents> {
  const wanted = chunk.filter(({ size }) => size <= MESSAGE_MAX_BYTES);
  if (wanted.length === 0) return new Map();
  const bytes = wanted.reduce((sum, { size }) => sum + size, 0);
  const budget = 2 * bytes + limits.line_bytes;
  const uids = wanted.map(({ uid }) => uid);
  return session.bound(budget, () => download(session.client, uids));
}

async function* readChunk(
  { task, folder: { collection } }: FolderRead,
  chunk: readonly MessageEntry[],
  contents: Contents,
): AsyncGenerator<SourceChange> {
  for (const { uid, size, state, thread_id } of chunk) {
    const [item, place] = [toItem(uid), `${toLabel(collection)}, message ${uid}`];
    const reject = (reason: string) => ({ kind: "reject", collection, item, place, reason, state }) as const;
    const content = contents.get(uid);
    if (size > MESSAGE_MAX_BYTES) yield reject(MESSAGE_TOO_LARGE);
    // Expunged meanwhile: the next run finds that out.
    if (!content) continue;
    // Parsing a message may never yield: without this, the next chunk would sit in the socket.
    await setImmediate();
    const items: ImportedItem[] = [];
    for await (const each of readMailItem(task, { content, place, thread_id })) items.push(each);
    const records = items.filter((each): each is ImportedRecord => each.kind === "record");
    const [first, ...others] = records;
    if (first) yield { kind: "put", collection, item, state, records: [first, ...others] };
    else {
      const [problem] = items;
      yield reject(problem?.kind === "rejected" ? problem.reason : "It cannot be read.");
    }
  }
}

async function download(client: FolderRead["session"]["client"], uids: readonly number[]): Promise<Contents> {
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
