/**
 * What a value of somebody else's JSON is, if it is that. Exports change without notice: a member of another type
 * than expected is as good as absent, and costs no more than itself.
 */
import { parseTimeMs } from "@rungs/contract";

/** Any JSON object. */
export type ExportedObject = Readonly<Record<string, unknown>>;

/** The value if it is an object, and an empty one if not. */
export function asObject(value: unknown): ExportedObject {
  return isObject(value) ? value : {};
}

/** Whether a value is an object. */
export function isObject(value: unknown): value is ExportedObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is a list, and an empty one if not. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list. */
export function asObjects(value: unknown): ExportedObject[] {
  return asList(value).filter(isObject);
}

/** The value if it is text that says something. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The texts of a list. */
export function asTexts(value: unknown): string[] {
  return asList(value).filter((one) => typeof one === "string" && one !== "") as string[];
}

/** The value if it is text, or a number written as text: ids come as either. */
export function asId(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : asText(value);
}

/** The value if it is a whole number, also as text. */
export function asInteger(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

/** The value if it is true or false. */
export function asFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** A time in RFC 3339 and UTC, of epoch seconds (also as text) or of ISO 8601; without a zone it is taken as UTC. */
export function asTime(value: unknown): string | undefined {
  const isEpoch = typeof value === "string" && /^\d{1,12}(?:\.\d+)?$/.test(value);
  const timeMs = parseTimeMs(isEpoch ? Number(value) : value);
  const time = timeMs === undefined ? undefined : new Date(timeMs).toISOString();
  // A year of more than four digits is no date-time of RFC 3339.
  return time?.length === 24 ? time : undefined;
}
