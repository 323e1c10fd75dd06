import type { LogEntry } from "../settings/options.ts";

/** Counts of the requests of one operation with one status. */
export interface RequestCounts {
  readonly operation: string;
  readonly status: number;
  requests: number;
  seconds: number;
  bytes: number;
}

/** Counts requests since the server started. */
export interface Meter {
  add(entry: LogEntry): void;
  list(): readonly RequestCounts[];
  /** The last request that failed because of the server. */
  readonly last_failure: { readonly code: string; readonly at: string } | undefined;
}

/** Creates a meter. Operations and statuses are closed sets, so that its size is bounded. */
export function createMeter(): Meter {
  const counts = new Map<string, RequestCounts>();
  let last_failure: Meter["last_failure"];
  return {
    add({ time, operation: named, status, code, duration_ms, bytes, requests = 1 }) {
      if (status >= 500) last_failure = { code: code ?? String(status), at: time };
      const operation = named ?? "other";
      const key = `${operation} ${status}`;
      const known = counts.get(key) ?? { operation, status, requests: 0, seconds: 0, bytes: 0 };
      known.requests += requests;
      known.seconds += duration_ms / 1000;
      known.bytes += bytes;
      counts.set(key, known);
    },
    get last_failure() {
      return last_failure;
    },
    list: () => [...counts.values()],
  };
}
