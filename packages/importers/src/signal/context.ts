import type { ImportSource } from "../importer.ts";

/** A person or a group. */
export interface Recipient {
  readonly id: string;
  readonly name: string;
  readonly kind: "contact" | "group" | "self" | "other";
  readonly phone?: string | undefined;
}

/** The people and chats of one plaintext export. */
export interface Directory {
  readonly recipients: Map<string, Recipient>;
  /** The recipient of each chat. */
  readonly chats: Map<string, string>;
}

/** What the readers of an export share. */
export interface SignalContext {
  readonly source: ImportSource;
  /** By the path of the export's file. */
  readonly directories: ReadonlyMap<string, Directory>;
  /** The files that are media, by their name without an extension. */
  readonly media: ReadonlyMap<string, string>;
  /** The chats that already have a record. */
  readonly reported: Set<string>;
}
