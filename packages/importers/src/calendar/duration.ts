/** The longest duration that is taken for one: a hundred years. */
const LONGEST_MS = 100 * 366 * 86_400_000;

const DURATION =
  /^([+-]?)P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;
const UNITS_MS = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1000];

/**
 * The end of an event by its start and duration (RFC 5545 §3.8.2.5), with the offset of the start; undefined if the
 * duration cannot be read or is longer than any event.
 */
export function addDuration(start: string, duration: string): string | undefined {
  const [whole, sign, ...counts] = DURATION.exec(duration.trim()) ?? [];
  if (whole === undefined || counts.every((count) => count === undefined)) return undefined;
  const lengthMs = counts.reduce((sum, count, at) => sum + Number(count ?? 0) * UNITS_MS[at]!, 0);
  if (lengthMs > LONGEST_MS) return undefined;
  const isDate = start.length === 10;
  const startMs = Date.parse(isDate ? `${start}T00:00:00Z` : `${start.slice(0, 19)}Z`);
  const end = new Date(startMs + (sign === "-" ? -lengthMs : lengthMs));
  const local = Number.isNaN(end.getTime()) ? "" : end.toISOString();
  // RFC 3339 has years of four digits.
  if (local.length !== 24) return undefined;
  return isDate ? local.slice(0, 10) : `${local.slice(0, 19)}${start.slice(19)}`;
}
