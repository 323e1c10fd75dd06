/**
 * The interface of a kind of source that is read again and again: a folder with its settings, its reader and its tests,
 * and one row in `live-sources.ts`. A source knows nothing of databases: it reports what changed, in order, and `run/`
 * stores it.
 */
import type { ImportedRecord, Manifest, RecordEnvelope } from "@rungs/contract";
import type { Files, ItemServices } from "@rungs/importers";
import type { SyncCursor, SyncItem, SyncItemPlace } from "@rungs/store";

/** The settings of one source, as the owner gave them; never a secret. */
export type SourceSettings = Readonly<Record<string, unknown>>;

/** A kind of source. */
export interface LiveSource {
  /** Its name on the command line: `imap`. */
  readonly kind: string;
  /** Its name for people: `Mailbox (IMAP)`. */
  readonly label: string;
  /** Its source declaration. */
  declare(settings: SourceSettings): Manifest;
  /** Whether it is opened with a password. */
  hasSecret(settings: SourceSettings): boolean;
  /** Checks settings and fills in defaults; throws `invalid_request`. */
  requireSettings(given: SourceSettings): SourceSettings;
  /** The account, and every host that it connects to (R79). */
  describe(settings: SourceSettings): SourceAccount;
  /**
   * Reports every change since the cursors that it left. Changes before a `cursor` are stored before or with it, so that a
   * killed run continues behind the last one that was stored.
   */
  read(task: SourceTask): AsyncIterable<SourceChange>;
  /**
   * Merges the copies of an item that the source has several times, such as a message in two folders. By default, the
   * record as read.
   */
  combine?(data: ImportedRecord["data"], copies: readonly SourceCopy[]): ImportedRecord["data"];
  /** Signs in and out, so that the owner learns at once what is wrong. */
  check?(access: SourceAccess, signal: AbortSignal): Promise<void>;
  /** Waits until the source says that something changed, for sources that can. */
  wait?(access: SourceAccess, signal: AbortSignal): Promise<void>;
}

/** Whose data a source has, and the hosts that it connects to. */
export interface SourceAccount {
  readonly account: string;
  readonly hosts: readonly string[];
}

/** The credentials and storage of a source. */
export interface SourceAccess {
  readonly settings: SourceSettings;
  readonly secret: string | undefined;
  /** Replaces the secret, for example with a renewed token. */
  readonly saveSecret?: ((secret: string) => Promise<void>) | undefined;
  /** A private folder of the sync, which may not exist yet. */
  readonly work_folder: string;
}

/** One run, and the services that it may use. */
export interface SourceTask extends SourceAccess, ItemServices {
  /** Aborts when the run is to end: the owner paused it, or the process stops. */
  readonly signal: AbortSignal;
  readonly cursors: readonly SyncCursor[];
  /** The stored items of a collection, in order: all, those after an item, or those with these ids. */
  listItems(collection: string, some?: ItemChoice): AsyncIterable<SyncItem>;
  /** How many stored items of a collection are before an item. */
  countItems(collection: string, before: string): Promise<number>;
  report(progress: SourceProgress): void;
  /** Tells the owner something about the run. */
  note(sentence: string): void;
  /** Asks the owner something and waits for the answer. */
  ask(question: SourceQuestion): Promise<SourceAnswer>;
  /** Finds the exports among files; undefined where this program imports none. */
  readonly planExports?: PlanExports | undefined;
}

/** Finds the exports among the files of a folder on disk. */
export type PlanExports = (files: Files, path: string) => Promise<PlannedExports>;

/** Exports that are not imported yet. The caller closes them. */
export interface PlannedExports {
  readonly exports: readonly PlannedExport[];
  close(): Promise<void>;
}

/** One export, which is imported into its own connection, as `rungs import` does. */
export interface PlannedExport {
  readonly connection_id: string;
  /** Where it is, for people. */
  readonly path: string;
  /** Changes with its files. */
  readonly identity: string;
  /** Its files in the folder, by their paths from there; none where it is inside an archive. */
  readonly file_paths: readonly string[];
  run(stop: AbortSignal): Promise<ImportedExport>;
}

/** The result of an import. */
export interface ImportedExport {
  readonly added: number;
  readonly changed: number;
  readonly rejected: number;
  readonly is_finished: boolean;
}

/** A question to the owner; without fields, it asks for an action and a confirmation. */
export interface SourceQuestion {
  readonly message: string;
  readonly fields: readonly QuestionField[];
  readonly timeout_ms: number;
}

/** One requested value. */
export interface QuestionField {
  readonly name: string;
  readonly is_secret: boolean;
  readonly is_required: boolean;
}

/** What the owner answered. */
export type SourceAnswer =
  | { readonly kind: "given"; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: "cancelled" | "timeout" };

/** Some items of a collection. */
export type ItemChoice = { readonly after: string } | { readonly items: readonly string[] };

/** The progress of a run. */
export interface SourceProgress {
  readonly collection: string;
  readonly done: number;
  /** 0 if unknown. */
  readonly total: number;
  readonly message?: string | undefined;
}

/** One change at the source. */
export type SourceChange =
  /** An item is new, or its content changed. The first record is the item; the others belong to it. */
  | (SyncItemPlace & {
      readonly kind: "put";
      readonly records: readonly [ImportedRecord, ...ImportedRecord[]];
      readonly state: unknown;
    })
  /** Only the state of an item changed, such as its flags. */
  | (SyncItemPlace & { readonly kind: "state"; readonly state: unknown })
  | (SyncItemPlace & { readonly kind: "remove" })
  /** A record, or its deletion, of a source that names no items. */
  | { readonly kind: "record"; readonly record: RecordEnvelope }
  /** A record that cannot be stored. It is listed, and not remembered. */
  | { readonly kind: "drop"; readonly place: string; readonly reason: string }
  /** An item without a record, remembered so that no later run reads it again. */
  | (SyncItemPlace & { readonly kind: "seen"; readonly state: unknown })
  /** An unreadable item, remembered so that no later run reads it again. */
  | (SyncItemPlace & {
      readonly kind: "reject";
      readonly place: string;
      readonly reason: string;
      readonly state: unknown;
    })
  /** Everything of a collection up to here has been reported; null forgets the collection. */
  | ({ readonly kind: "cursor" } & SyncCursor);

/** One copy of an item in the source. */
export interface SourceCopy {
  readonly collection: string;
  readonly state: unknown;
}
