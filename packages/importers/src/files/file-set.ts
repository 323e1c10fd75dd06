import { channel } from "node:diagnostics_channel";
import { ApiError } from "@rungs/contract";
import type { FileEntry, Files, RefusedFile } from "./files.ts";

/** One file and how to read its bytes. */
export interface FileSource {
  readonly path: string;
  readonly size_bytes: number;
  readonly modified_at?: string | undefined;
  /** Whether reading from an offset is cheap; false for compressed files. */
  readonly is_seekable?: boolean | undefined;
  /** Where it is on disk; absent inside archives. */
  readonly disk_path?: string | undefined;
  /** Its bytes from `from_bytes`; `to_bytes` is a hint that the caller needs no more. */
  read(from_bytes: number, to_bytes: number): AsyncIterable<Uint8Array>;
}

/** The members of a set of files. */
export interface FileSetOptions {
  readonly name: string;
  readonly sources: readonly FileSource[];
  readonly refused?: readonly RefusedFile[] | undefined;
  close?(): Promise<void>;
}

/** Creates a set of files: sorted and found by path, with progress while they are read. */
export function createFileSet({
  name,
  sources,
  refused = [],

  close,
}: FileSetOptions): Files {
  const progress: Progress = { read_bytes: 0, total_bytes: 0, path: undefined };
  const entries = new Map<string, FileEntry>();
  const unread = new Set(sources.flatMap(({ path, size_bytes }) => (size_bytes === 0 ? [] : [path])));
  for (const source of sources.toSorted(byPath)) {
    progress.total_bytes += source.size_bytes;
    entries.set(source.path, createEntry(source, progress, unread));
  }
  return {
    name,
    async *list() {
      yield* entries.values();
    },
    find: async (path) => entries.get(path),
    refused: refused.toSorted(byPath),
    listUnread: () => [...unread].toSorted(),
    progress,
    close: async () => close?.(),
  };
}

/** By code units, so that the order is the same on every machine. */
function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

const HEAD_BYTES = 64 * 1024;

interface Progress {
  read_bytes: number;
  total_bytes: number;
  path: string | undefined;
}

/** The diagnostics channel that reports each file opened for reading. */
export const FILE_OPENED = "rungs:import:file-opened";
const opened = channel(FILE_OPENED);

function createEntry(source: FileSource, progress: Progress, unread: Set<string>): FileEntry {
  const { path, size_bytes, modified_at, is_seekable, disk_path } = source;
  // Reading the same bytes again is not progress.
  let reached = 0;
  const reach = (position: number): void => {
    progress.read_bytes += Math.max(0, position - reached);
    reached = Math.max(reached, position);
  };
  return {
    path,
    size_bytes,
    modified_at,
    is_seekable,
    disk_path,
    async *open(from_bytes = 0, to_bytes = Number.POSITIVE_INFINITY) {
      unread.delete(path);
      progress.path = path;
      opened.publish(path);
      let position = from_bytes;
      for await (const chunk of readSource(source, from_bytes, to_bytes)) {
        position += chunk.length;
        reach(position);
        yield chunk;
      }
    },
    head: (max_bytes = HEAD_BYTES) => readHead(source, max_bytes),
  };
}

async function readHead(source: FileSource, max_bytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of readSource(source, 0, max_bytes)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= max_bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, max_bytes);
}

/** Turns a failure of the file system or the archive into an error for the owner. */
async function* readSource(source: FileSource, from: number, to: number): AsyncGenerator<Uint8Array> {
  if (from >= to) return;
  try {
    yield* source.read(from, to);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError("file_unreadable", {
      message: `${source.path} cannot be read (${reason}).`,
    });
  }
}
