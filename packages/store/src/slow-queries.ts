/** Logs slow statements, without record content or parameter values. */
import type { SlowQuery, SlowQueryLog } from "./store.ts";

/** Longer statements consist of lists of clauses; the beginning identifies them. */
const STATEMENT_MAX = 2_000;

/** Notes statements that took at least `from_ms`. */
export interface SlowWatch {
  readonly from_ms: number;
  /** The plan arrives later: the statement's caller does not wait for it. */
  readonly note: (query: Promise<SlowQuery>) => void;
}

/** Reports to a log, in the context of the request that ran the statement. */
export function watchSlow({ from_ms, report }: SlowQueryLog): SlowWatch {
  return { from_ms, note: (query) => void query.then(report, () => undefined) };
}

/** A statement on one line, with its parameters as `$1` and without any text in quotes. */
export function describeStatement(text: string): string {
  return text
    .replaceAll(/'(?:[^']|'')*'/g, "'…'")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, STATEMENT_MAX);
}
