/** The files of an import: one file, a folder, or the entries of an archive. */
export interface Files {
  /** The last segment of the path that the person named. */
  readonly name: string;
  /** All files, sorted by path; may be iterated more than once. */
  list(): AsyncIterable<FileEntry>;
  /** Finds a file by its path. */
  find(path: string): Promise<FileEntry | undefined>;
  /** Files that are never listed, and why. The import reports each as rejected; importers need not. */
  readonly refused: readonly RefusedFile[];
  /** The files that were not read yet, except for detection. */
  listUnread(): string[];
  /** How much was read, and the file that was opened last. */
  readonly progress: {
    readonly read_bytes: number;
    readonly total_bytes: number;
    readonly path?: string | undefined;
  };
  close(): Promise<void>;
}

/** One file of an import. */
export interface FileEntry {
  /** Relative, with `/`; never absolute and never with `..`. */
  readonly path: string;
  readonly size_bytes: number;
  readonly modified_at?: string | undefined;
  /** Whether reading from an offset is cheap; false for compressed files. */
  readonly is_seekable?: boolean | undefined;
  /** Where it is on disk; absent inside archives. */
  readonly disk_path?: string | undefined;
  /**
   * Its bytes from an offset, in bounded chunks; `to_bytes` is a hint that the caller needs no more. Throws
   * `file_unreadable` for bytes that cannot be read.
   */
  open(from_bytes?: number, to_bytes?: number): AsyncIterable<Uint8Array>;
  /** Its first bytes, at most `max_bytes`. */
  head(max_bytes?: number): Promise<Uint8Array>;
}

/** A file that is not safe to read, or cannot be read. */
export interface RefusedFile {
  readonly path: string;
  /** One sentence. */
  readonly reason: string;
}
