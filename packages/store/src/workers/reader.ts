import { type Database, Signals } from "../database.ts";

/** A database that only reads, and how to end what it waits for. On an engine that runs statements in the calling thread, these do nothing. */
export interface Reader {
  readonly database: Database;
  /** What the next reads must see at least (`Access.write_version`); they fail where the database is behind. */
  require(write_version: number | undefined): void;
  /** Ends the running statement. */
  cancel(): void;
  /** Breaks the connections to a server that no longer answers. */
  drop(): void;
}

/** Completes the reads of a database with writes that fail: a worker never writes. */
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
