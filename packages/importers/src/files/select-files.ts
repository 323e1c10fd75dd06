import { createFileSet, type FileSource } from "./file-set.ts";
import type { FileEntry, Files, RefusedFile } from "./files.ts";

/** Which files of a set to take. */
export interface FileSelection {
  readonly name: string;
  /** The folder that paths are relative to, with a trailing `/`; empty for the root. */
  readonly root: string;
  readonly entries: readonly FileEntry[];
  readonly refused: readonly RefusedFile[];
}

/**
 * Some files of a set, as a set with its own progress. `find` finds the other files below the root too: a message may
 * mention a file that also counts as a document. Closing it leaves the whole set open.
 */
export function selectFiles(files: Files, { name, root, entries, refused }: FileSelection): Files {
  const sources = entries.map((entry) => toSource(entry, entry.path.slice(root.length)));
  const selected = createFileSet({ name, sources, refused });
  return {
    ...selected,
    find: async (path) => (await selected.find(path)) ?? (await files.find(`${root}${path}`)),
  };
}

/** A file of another set as the source of one in a new set. */
export function toSource(entry: FileEntry, path: string): FileSource {
  return {
    path,
    size_bytes: entry.size_bytes,
    modified_at: entry.modified_at,
    is_seekable: entry.is_seekable,
    disk_path: entry.disk_path,
    read: (from_bytes, to_bytes) => entry.open(from_bytes, to_bytes),
  };
}

/** A set of files without one of them, with the same progress. */
export function withoutFile(files: Files, path: string): Files {
  return {
    ...files,
    async *list() {
      for await (const entry of files.list()) if (entry.path !== path) yield entry;
    },
    find: async (wanted) => (wanted === path ? undefined : files.find(wanted)),
  };
}
