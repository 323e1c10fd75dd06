/** Combines refused requests in the audit log, so that a client that repeats one cannot fill the disk. */
import type { AuditEntry } from "@rungs/store";
import type { AuditLog } from "./audit-log.ts";

/** How many refusals of one kind are recorded one by one within a window; the rest become one row. */
const SINGLE_ROWS = 10;
const WINDOW_MS = 60_000;

/** Refusals of one kind in the current window. */
interface Window {
  count: number;
  /** The last of those that have no row yet. */
  last?: AuditEntry;
}

/** Creates a log of refusals: one kind is one operation with one status, under one grant of one client. */
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
