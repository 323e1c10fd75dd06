import { parseTimeMs } from "@rungs/contract";
import { UsageError } from "./command/exit.ts";
import { parseDurationMs } from "./command/option-values.ts";

/** Reads a time such as `2026-05-01` that an option gives; undefined when it was not given. */
export function requireTime(text: string | undefined, option: string): string | undefined {
  if (text === undefined) return undefined;
  const time_ms = parseTimeMs(text);
  if (time_ms === undefined) throw new UsageError(`--${option} takes an ISO 8601 time, not ${text}.`);
  return new Date(time_ms).toISOString();
}

/** Reads a time, or how long ago it was, such as `7d`. */
export function requirePastTime(text: string | undefined, option: string): string | undefined {
  const ago_ms = text === undefined ? undefined : parseDurationMs(text);
  return ago_ms === undefined ? requireTime(text, option) : new Date(Date.now() - ago_ms).toISOString();
}
