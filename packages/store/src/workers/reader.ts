import { type Database, Signals } from "../database.ts";

/**
 * A read-only database that can be interrupted. On an engine that runs statements in the calling thread, interrupting
 * is a no-op.
 */
export interface Reader {
  readonly database: Database;
  /** The minimum version for the next reads (`Access.write_version`); they fail if the database lags. */
  require(write_version: number | undefined): void;
  /** Ends the running statement. */
  cancel(): void;
  /** Breaks the connections to a server that no longer answers. */
  drop(): void;
}

/** Adds failing writes to a read-only database: a worker never writes. */
export function createReadOnly(
  reads: Pick<Database, "traffic" | "read" | "peek" | "peekByToken" | "findOwner" | "close">,
): Database {
  const refuse = async () => {
    throw new Error("This connection only reads.");
  };
  return {
    ...reads,
    signals: new Signals(),
    write: refuse,
    appendAudit: refuse,
    claimOnce: refuse,
    changeShared: refuse,
    flushAuditJournal: refuse,
    analyzeIfGrown: refuse,
    analyze: refuse,
    reclaimSpace: refuse,
  };
}
