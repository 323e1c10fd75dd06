/** Parses option values: durations, times, ports and files of JSON. A wrong value is a usage error that names the option. */
import { readFileSync } from "node:fs";
import { parseTimeMs } from "@rungs/contract";
import { UsageError } from "./exit.ts";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A hundred years. Beyond the year 9999, ISO 8601 times need a sign and no longer sort as text. */
const MAX_DURATION_MS = 5_200 * UNITS_MS.w;

/** The port that `rungs serve` and `rungs demo` listen on by default. */
export const DEFAULT_PORT = "7717";

/** Parses a duration such as `30d` into milliseconds. */
export function requireDurationMs(text: string, option: string): number {
  const duration_ms = parseDurationMs(text);
  if (duration_ms !== undefined) return duration_ms;
  throw new UsageError(
    `--${option} takes a duration such as 30d, 12h or 45m, up to a hundred years, not ${text}.`,
  );
}

/** Parses a duration into milliseconds; undefined if the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  const groups = /^(?<count>[1-9]\d{0,5})(?<unit>[mhdw])$/.exec(text)?.groups;
  const duration_ms = groups && Number(groups.count) * UNITS_MS[groups.unit as keyof typeof UNITS_MS];
  return duration_ms !== undefined && duration_ms <= MAX_DURATION_MS ? duration_ms : undefined;
}

/** Parses a time such as `2026-05-01`; undefined if the option is absent. */
export function requireTime(text: string | undefined, option: string, others = ""): string | undefined {
  if (text === undefined) return undefined;
  const time_ms = parseTimeMs(text);
  if (time_ms === undefined)
    throw new UsageError(
      `--${option} takes a time such as 2026-01-31 or 2026-01-31T10:00:00Z${others === "" ? "" : `, ${others}`}, not ${text}.`,
    );
  return new Date(time_ms).toISOString();
}

/** Parses a time, or a duration before now such as `7d`. */
export function requirePastTime(text: string | undefined, option: string): string | undefined {
  const ago_ms = text === undefined ? undefined : parseDurationMs(text);
  return ago_ms === undefined
    ? requireTime(text, option, "or a duration such as 7d")
    : new Date(Date.now() - ago_ms).toISOString();
}

/** Parses a number from 1 to 9999; undefined if the option is absent. */
export function requireCount(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} takes a number from 1 to 9999, not ${text}.`);
}

/** Parses a port number. */
export function requirePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port takes a number up to 65535, not ${text}.`);
  return port;
}

/** Reads and parses a JSON file. */
export function readJsonFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON.`);
  }
}
