/** The files of an import, wherever they are: one file, a folder, or the entries of an archive. */
export interface Files {
  /** What the person named: the last part of its path. */
  readonly name: string;
  /** All files, in the order of their paths; safe to go through more than once. */
  list(): AsyncIterable<FileEntry>;
  /** One of them by its path; undefined when there is none. */
  find(path: string): Promise<FileEntry | undefined>;
  /** What is there but is never listed, and why: the import reports each as a rejected item, importers need not. */
  readonly refused: readonly RefusedFile[];
  /** How far reading is, for progress. */
  readonly progress: { readonly read_bytes: number; readonly total_bytes: number };
  close(): Promise<void>;
}

/** One file of an import. */
export interface FileEntry {
  /** Relative, with `/`; never absolute and never with `..`. */
  readonly path: string;
  readonly size_bytes: number;
  readonly modified_at?: string | undefined;
  /** Its bytes, a bounded piece at a time, from an offset on. Bytes that cannot be read are refused (`file_unreadable`). */
  open(from_bytes?: number): AsyncIterable<Uint8Array>;
  /** Its first bytes, at most `max_bytes`. */
  head(max_bytes?: number): Promise<Uint8Array>;
}

/** A file that is not safe to read, or cannot be read. */
export interface RefusedFile {
  readonly path: string;
  /** One sentence. */
  readonly reason: string;
}
