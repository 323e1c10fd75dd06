import { parseTimeMs } from "@rungs/contract";
import type { Property } from "../vobject/properties.ts";
import { findZoneOffset } from "../zone-offset.ts";
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
  const localMs = parseTimeMs(local) ?? 0;
  const minutes =
    findZoneOffset(tzid, localMs) ??
    findZoneOffset(tzid.split("/").slice(-2).join("/"), localMs) ??
    zones.get(tzid)?.(localMs);
  return minutes === undefined ? undefined : formatOffset(minutes);
}

function formatOffset(minutes: number): string {
  if (minutes === 0) return "Z";
  const pad = (value: number): string => String(value).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}
