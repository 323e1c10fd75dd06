import type { Consents, HistogramReader, OwnerContext, SignIn } from "@rungs/server";

/** What every page of the console works with. */
export interface ConsoleContext extends OwnerContext {
  readonly signIn: SignIn;
  readonly readTimeline: HistogramReader;
  /** The app's own `fetch`: the owner's reads are answered and audited like anyone's. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** The address that people see; by default that of the request. */
  readonly base_url?: string | undefined;
  /** The command that makes a login link for this server, where it may be shown to everyone who reaches the server. */
  readonly login_command?: string | undefined;
  /** The pending authorization requests of clients; without it, clients cannot ask for access. */
  readonly consents?: Consents | undefined;
  /** Imports an uploaded file; without it, the console takes no uploads. */
  readonly importFile?: ImportFile | undefined;
}

/** Detects the format of a file and imports it; the program that composes the server provides it. */
export type ImportFile = (
  request: ImportRequest,
  report: (progress: ImportJobProgress) => void,
) => Promise<ImportOutcome>;

/** An uploaded file to import. */
export interface ImportRequest {
  /** Removed after the import. */
  readonly path: string;
  /** The display name of the new connection; by default the importer chooses one. */
  readonly label?: string | undefined;
}

/** The progress of an import. */
export interface ImportJobProgress {
  readonly read_bytes: number;
  readonly total_bytes: number;
}

/** The result of an import: one entry for each format and archive, and the files that no format knows. */
export interface ImportOutcome {
  readonly imports: readonly ImportedConnection[];
  readonly left_out: readonly { readonly path: string; readonly reason: string }[];
}

/** What was imported into one connection. */
export interface ImportedConnection {
  readonly connection_id: string;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** The first rejected items, each with its place and reason. */
  readonly rejections: readonly { readonly place: string; readonly message: string }[];
}
