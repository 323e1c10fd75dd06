import type {
  ActivityReader,
  Consents,
  ImportRunEnd,
  ImportRunProgress,
  OwnerContext,
  SignIn,
} from "@rungs/server";
import type { FiguresReader } from "./figures/source-figures.ts";
import type { ImportTurns } from "./imports/import-turns.ts";
import type { KeptUploads } from "./imports/kept-uploads.ts";
import type { SyncDesk } from "./syncs/sync-desk.ts";

/** The dependencies of every console page. */
export interface ConsoleContext extends OwnerContext {
  readonly signIn: SignIn;
  readonly readFigures: FiguresReader;
  readonly readActivity: ActivityReader;
  readonly uploads: KeptUploads;
  readonly importTurns: ImportTurns;
  /** The app's own `fetch`: the owner's reads are answered and audited like any other. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** The address that people see; by default that of the request. */
  readonly base_url?: string | undefined;
  /**
   * The options of a command about this owner's data, such as ` --home DIR`, if everyone who reaches the server may see
   * them.
   */
  readonly command_options: string;
  /** The pending authorization requests of clients; without it, clients cannot ask for access. */
  readonly consents?: Consents | undefined;
  /** Imports an uploaded file; without it, the console takes no uploads. */
  readonly importFile?: ImportFile | undefined;
  /** The owner's sync actions; without them, the console shows no syncs. */
  readonly syncs?: SyncDesk | undefined;
  /** The formats that the owner can choose for an upload. */
  readonly formats?: readonly { readonly id: string; readonly label: string }[] | undefined;
}

/** Detects the format of a file and imports it; the program that composes the server provides it. */
export type ImportFile = (
  request: ImportRequest,
  report: (progress: ImportRunProgress) => void,
) => Promise<ImportRunEnd>;

/** An uploaded file to import. */
export interface ImportRequest {
  /** Removed after the import. */
  readonly path: string;
  /** The display name of the new connection; by default the importer chooses one. */
  readonly label?: string | undefined;
  /** The format that the owner chose; by default it is detected. */
  readonly format?: string | undefined;
  /** Only detects the format, and stores nothing. */
  readonly is_look?: boolean | undefined;
  /** Stops the import after its batch. */
  readonly stop: AbortSignal;
}
