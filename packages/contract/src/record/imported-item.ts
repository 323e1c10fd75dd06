/** What an importer yields from a person's export, in the order of the export. */
export type ImportedItem = ImportedRecord | RejectedItem;

/** A record of the importer's manifest. */
export interface ImportedRecord {
  readonly kind: "record";
  /** Its position, for people: `message 17 at byte 20431`, `general/2024-05-01.json, message 3`. */
  readonly place: string;
  readonly stream: string;
  readonly key: string | string[];
  readonly data: Readonly<Record<string, unknown>>;
  /** A checkpoint: once everything up to this item is stored, reading can resume here. Opaque to all but the importer. */
  readonly checkpoint?: string | undefined;
}

/** Something that could not be read, and why. */
export interface RejectedItem {
  readonly kind: "rejected";
  readonly place: string;
  /** One sentence without content of the item. */
  readonly reason: string;
  readonly checkpoint?: string | undefined;
}
