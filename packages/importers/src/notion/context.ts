import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";
import type { PageTree } from "./page-names.ts";

/** A database of an export. */
export interface NotionDatabase {
  readonly id: string;
  readonly file: FileEntry;
  /** The names of its columns; the first is the title of a row. */
  readonly columns: readonly string[];
}

/** What the readers of an export share. */
export interface NotionContext {
  readonly source: ImportSource;
  readonly tree: PageTree;
  /** Databases by their id. */
  readonly databases: ReadonlyMap<string, NotionDatabase>;
}
