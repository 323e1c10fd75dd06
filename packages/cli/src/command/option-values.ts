import { UsageError } from "./exit.ts";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A hundred years: times of five-digit years are no longer written alike everywhere. */
const LONGEST_MS = 5_200 * UNITS_MS.w;

/** Reads a length of time such as `30d`, in milliseconds. */
export function requireDurationMs(text: string, option: string): number {
  const duration_ms = parseDurationMs(text);
  if (duration_ms !== undefined) return duration_ms;
  throw new UsageError(
    `--${option} takes a length of time such as 30d, 12h or 45m, a hundred years at most, not ${text}.`,
  );
}

/** Reads a length of time, in milliseconds; undefined when it is none. */
export function parseDurationMs(text: string): number | undefined {
  const parts = /^(?<count>[1-9]\d{0,5})(?<unit>[mhdw])$/.exec(text)?.groups;
  const duration_ms = parts && Number(parts.count) * UNITS_MS[parts.unit as keyof typeof UNITS_MS];
  return duration_ms !== undefined && duration_ms <= LONGEST_MS ? duration_ms : undefined;
}
