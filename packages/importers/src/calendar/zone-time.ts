import { parseTimeMs } from "@rungs/contract";
import type { Property } from "../vobject/properties.ts";
import type { ZoneRules } from "./zone-rules.ts";

/** The zones that a calendar defines, by name. */
export type Zones = Map<string, ZoneRules>;

const TIME = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/;

/**
 * A time of a calendar (RFC 5545 §3.3.4, §3.3.5) as RFC 3339 if its zone is known, as a date, or as a local time
 * without an offset. Undefined if it is not a time.
 */
export function readTime(text: string, tzid: string | undefined, zones: Zones): string | undefined {
  const [whole, year, month, day, hour, minute, second, utc] = TIME.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return parseTimeMs(date) === undefined ? undefined : date;
  const local = `${date}T${hour}:${minute}:${second}`;
  if (parseTimeMs(local) === undefined) return undefined;
  if (utc !== undefined) return `${local}Z`;
  return `${local}${tzid === undefined ? "" : (findOffset(local, tzid, zones) ?? "")}`;
}

/** The zone that a property names. */
export function readZone({ params }: Property): string | undefined {
  return typeof params.tzid === "string" && params.tzid !== "" ? params.tzid : undefined;
}

/** The zone by its IANA name, else as the calendar defines it. */
function findOffset(local: string, tzid: string, zones: Zones): string | undefined {
  const known = findFormat(tzid) ?? findFormat(tzid.split("/").slice(-2).join("/"));
  if (known) return computeOffset(local, known);
  const minutes = zones.get(tzid)?.(parseTimeMs(local) ?? 0);
  return minutes === undefined ? undefined : formatOffset(minutes);
}

/** The offset depends on the instant, which depends on the offset: two steps find it. */
function computeOffset(local: string, format: Intl.DateTimeFormat): string {
  const localMs = parseTimeMs(local) ?? 0;
  const first = offsetMinutes(format, localMs);
  return formatOffset(offsetMinutes(format, localMs - first * 60_000));
}

function offsetMinutes(format: Intl.DateTimeFormat, timeMs: number): number {
  const name = format.formatToParts(timeMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0"] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
}

function formatOffset(minutes: number): string {
  if (minutes === 0) return "Z";
  const pad = (value: number): string => String(value).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function findFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(timeZone)) formats.set(timeZone, createFormat(timeZone));
  return formats.get(timeZone);
}

function createFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
}
