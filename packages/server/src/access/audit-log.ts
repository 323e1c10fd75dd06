/** Reads in the owner's audit log (R55): who read what, and when; never content, never a token. Refusals that repeat share a row. */
import type { AuditEntry, Store, StoredToken } from "@rungs/store";
import { type Authority, listGrantedStreams } from "./authority.ts";

/** One read: the record, field and range if there is one, or the number of records of a stream. */
export interface AuditedRead {
  readonly connection_id?: string | undefined;
  readonly stream?: string | undefined;
  readonly record_id?: string | undefined;
  readonly field?: string | undefined;
  readonly range_start?: number | undefined;
  readonly range_end?: number | undefined;
  readonly records?: number | undefined;
  /** This read's share of the response in bytes; if absent, the first read carries all of them. */
  readonly bytes?: number | undefined;
}

/** Appends entries; resolves once they are stored. */
export type AuditLog = (owner_id: string, rows: readonly AuditEntry[]) => Promise<void>;

/** The members that all entries of a request share. */
export interface AuditedRequest {
  readonly request_id: string;
  readonly operation: string;
  readonly status: number;
  readonly at_ms: number;
  /** The size of the whole response. */
  readonly bytes: number;
  /** Set for streams. */
  readonly progress?: AuditEntry["progress"];
}

/** Lists the entries of a request: one for each read and each grant that covers it; the first carries the bytes. */
export function listAuditEntries(
  request: AuditedRequest,
  token: StoredToken,
  authority: Authority | undefined,
  reads: readonly AuditedRead[],
): AuditEntry[] {
  const { request_id, operation, status, at_ms, bytes, progress } = request;
  const at = new Date(at_ms).toISOString();
  const { client_id } = token;
  return reads
    .flatMap((read) => listCoveringGrants(read, token, authority).map((grant_id) => ({ ...read, grant_id })))
    .map((read, index) => ({
      at,
      request_id,
      client_id,
      operation,
      status,
      ...read,
      bytes: read.bytes ?? (index === 0 ? bytes : 0),
      progress,
    }));
}

/** At most one grant covers a stream; a read over several streams counts for every grant that covers one. */
function listCoveringGrants(
  { connection_id, stream }: AuditedRead,
  { grant_ids }: StoredToken,
  authority: Authority | undefined,
): (string | undefined)[] {
  const grants = authority?.grants ?? [];
  const covering = grants.filter((grant) =>
    listGrantedStreams(grant).some(
      (entry) =>
        (connection_id === undefined || entry.connection_id === connection_id) &&
        (stream === undefined || entry.stream === stream),
    ),
  );
  if (covering.length > 0) return covering.map(({ grant_id }) => grant_id);
  return grant_ids.length === 0 ? [undefined] : [...grant_ids];
}

/** Creates an audit log that batches entries while a write is in flight, so that readers do not queue for the database one by one. */
export function createAuditLog(store: Store): AuditLog {
  const queues = new Map<string, { rows: AuditEntry[]; written: Promise<void> }>();
  let writing: Promise<unknown> = Promise.resolve();

  return (owner_id, rows) => {
    const queue = queues.get(owner_id);
    if (queue) {
      queue.rows.push(...rows);
      return queue.written;
    }
    const pending = [...rows];
    const written = writing.then(() => {
      queues.delete(owner_id);
      return store.appendAudit(owner_id, pending);
    });
    writing = written.catch(() => undefined);
    queues.set(owner_id, { rows: pending, written });
    return written;
  };
}

/** How many refusals of one kind get a row each within a window; the rest share one. */
const SINGLE_ROWS = 10;
const WINDOW_MS = 60_000;

/** Refusals of one kind in the current window. */
interface Window {
  count: number;
  /** The latest refusal that has no row yet. */
  last?: AuditEntry;
}

/**
 * Creates a log that collapses repeated refusals into one row, so that a client cannot fill the disk by retrying. A
 * kind of refusal is one operation with one status, under one grant of one client.
 */
export function createRefusalLog(auditLog: AuditLog, window_ms = WINDOW_MS): AuditLog {
  const windows = new Map<string, Window>();

  function open(owner_id: string, key: string): Window {
    const window: Window = { count: 0 };
    windows.set(key, window);
    setTimeout(() => {
      windows.delete(key);
      if (!window.last) return;
      const requests = window.count - SINGLE_ROWS;
      void auditLog(owner_id, [{ ...window.last, requests }]).catch(() => undefined);
    }, window_ms).unref();
    return window;
  }

  return async (owner_id, rows) => {
    const single = rows.filter((row) => {
      const { client_id, grant_id, operation, status } = row;
      const key = JSON.stringify([owner_id, client_id, grant_id, operation, status]);
      const window = windows.get(key) ?? open(owner_id, key);
      window.count += 1;
      if (window.count <= SINGLE_ROWS) return true;
      const { at, request_id, bytes } = row;
      window.last = { at, request_id, client_id, grant_id, operation, status, bytes };
      return false;
    });
    if (single.length > 0) await auditLog(owner_id, single);
  };
}
