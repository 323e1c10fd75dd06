import type { Consents, HistogramReader, OwnerContext, SignIn } from "@rungs/server";
import type { ImportFile } from "./imports/import-file.ts";
import type { AppFetch } from "./visit/visit.ts";

/** What every page of the console is made of. */
export interface ConsoleParts extends OwnerContext {
  readonly signIn: SignIn;
  readonly readTimeline: HistogramReader;
  /** The server's own `fetch`: the owner's reads are answered and recorded as anybody's. */
  readonly fetch: AppFetch;
  /** The address that people see; that of the request when left out. */
  readonly base_url?: string | undefined;
  /** The open questions of clients; without them nobody can ask. */
  readonly consents?: Consents | undefined;
  /** Brings an uploaded file in; without it nothing can be uploaded. */
  readonly importFile?: ImportFile | undefined;
}
