import type { Database } from "../database.ts";

/** A database that only reads, and how to end the statement that it waits for. */
export interface Reader {
  readonly database: Database;
  /** Does nothing on an engine that runs statements in the calling thread. */
  cancel(): void;
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
