/**
 * Reads JSON values that other programs wrote. Exports change without notice: a member of an unexpected type counts as
 * absent and does not affect the others.
 */
import { parseTimeMs } from "@rungs/contract";

/** Any JSON object. */
export type ExportedObject = Readonly<Record<string, unknown>>;

/** The value if it is an object, else an empty object. */
export function asObject(value: unknown): ExportedObject {
  return isObject(value) ? value : {};
}

/** Whether a value is an object. */
export function isObject(value: unknown): value is ExportedObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is a list, else an empty list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list. */
export function asObjects(value: unknown): ExportedObject[] {
  return asList(value).filter(isObject);
}

/** The value if it is a string that is not empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The strings of a list that are not empty. */
export function asTexts(value: unknown): string[] {
  return asList(value).filter((one) => typeof one === "string" && one !== "") as string[];
}

/** The value if it is text, or a number written as text: ids come as either. */
export function asId(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : asText(value);
}

/** The value if it is a whole number or the text of one. */
export function asInteger(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

/** The value if it is true or false. */
export function asFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** Epoch seconds (also as text) or ISO 8601 as RFC 3339 in UTC; a time without a zone is read as UTC. */
export function asTime(value: unknown): string | undefined {
  const isEpoch = typeof value === "string" && /^\d{1,12}(?:\.\d+)?$/.test(value);
  const timeMs = parseTimeMs(isEpoch ? Number(value) : value);
  const time = timeMs === undefined ? undefined : new Date(timeMs).toISOString();
  // RFC 3339 allows only four-digit years.
  return time?.length === 24 ? time : undefined;
}

/** Formats an epoch time, a number or its text, as RFC 3339 in UTC; `per_ms` of its units are a millisecond. */
export function asEpoch(value: unknown, per_ms = 1): string | undefined {
  const isNumber = typeof value === "number" || (typeof value === "string" && /^\d{1,20}$/.test(value));
  const timeMs = isNumber ? Math.floor(Number(value) / per_ms) : Number.NaN;
  // Exports write zero or a negative number when there is no time; RFC 3339 allows only four-digit years.
  return timeMs > 0 && timeMs < Date.UTC(10_000, 0) ? new Date(timeMs).toISOString() : undefined;
}

/** The value if it is a number. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
