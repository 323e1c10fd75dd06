/** One event, task or journal entry as a record. */
import type { ImportedRecord } from "@rungs/contract";
import { joinKey, toRecordItem } from "../record-item.ts";
import { type ContentLine, digestLines } from "../vobject/content-lines.ts";
import { type Properties, type Property, readProperties } from "../vobject/properties.ts";
import { readTime, readZone, type Zones } from "./zone-time.ts";

/** The context of a component. */
export interface EventContext {
  readonly stream: string;
  readonly place: string;
  readonly calendar: string;
  readonly zones: Zones;
}

/** The record of a component, and its unreadable lines. */
export interface EventReading {
  /** Undefined for an empty component. */
  readonly record: ImportedRecord | undefined;
  readonly broken: ReadonlySet<ContentLine>;
}

/** Reads one component. */
export function readEvent(lines: readonly ContentLine[], context: EventContext): EventReading {
  const properties = readProperties(lines, "icalendar");
  const broken = new Set(properties.broken);
  const times = (property: Property | undefined): string[] => {
    const texts = property?.raw.split(",") ?? [];
    const read = texts.flatMap((readText) => readTime(readText, readZone(property!), context.zones) ?? []);
    if (property && read.length < texts.length) broken.add(property.line);
    return read;
  };
  const time = (name: string): string | undefined => times(properties.first(name))[0];
  const uid = text(properties, "uid");
  const recurrence_id = time("recurrence-id");
  const begin = properties.first("dtstart");
  const start = times(begin)[0];
  const length = properties.first("duration");
  const byDuration = start && length ? addDuration(start, length.raw) : undefined;
  if (start !== undefined && length && byDuration === undefined) broken.add(length.line);
  const data = {
    id: joinKey(...(uid ? [uid, ...(recurrence_id ? [recurrence_id] : [])] : [digestLines(lines)])),
    uid,
    recurrence_id,
    summary: text(properties, "summary"),
    description: text(properties, "description"),
    start,
    start_local: begin?.raw,
    timezone: begin && readZone(begin),
    all_day: start === undefined ? undefined : start.length === 10,
    rrule: properties.first("rrule")?.raw,
    rdates: properties.all("rdate").flatMap(times),
    exdates: properties.all("exdate").flatMap(times),
    organizer: properties.all("organizer").map(readPerson)[0],
    attendees: properties.all("attendee").map(readAttendee),
    status: text(properties, "status"),
    categories: properties.all("categories").flatMap(({ values }) => values.map(String)),
    url: text(properties, "url"),
    calendar: context.calendar,
    created_at: toUtc(time("created")),
    modified_at: toUtc(time("last-modified")),
    ...readExtras(context.stream, properties, time, byDuration),
  };
  const isEmpty = properties.list.every(({ name }) => BOOKKEEPING.has(name));
  return { record: isEmpty ? undefined : toRecordItem(context.stream, context.place, data), broken };
}

/** Properties that say nothing about the event itself. */
const BOOKKEEPING = new Set(["dtstamp", "created", "last-modified", "sequence", "class"]);

function readExtras(
  stream: string,
  properties: Properties,
  time: (name: string) => string | undefined,
  byDuration: string | undefined,
): Record<string, unknown> {
  if (stream === "journals") return {};
  const location = text(properties, "location");
  if (stream === "events") return { location, end: time("dtend") ?? byDuration };
  const percent = Number(properties.first("percent-complete")?.raw ?? Number.NaN);
  return {
    location,
    due: time("due"),
    completed_at: time("completed"),
    percent_complete: Number.isInteger(percent) ? percent : undefined,
  };
}

function text(properties: Properties, name: string): string | undefined {
  const values = properties.first(name)?.values ?? [];
  return values.map(String).join(",").trim() || undefined;
}

function readPerson({ values, params }: Property): Record<string, unknown> {
  const address = String(values[0] ?? "");
  const email = /^mailto:/i.test(address) ? address.slice(7) : params.email;
  return { name: params.cn, email: email ?? (address.includes("@") ? address : undefined) };
}

function readAttendee(property: Property): Record<string, unknown> {
  return { ...readPerson(property), status: property.params.partstat, role: property.params.role };
}

/** Timestamps must be in UTC (RFC 5545 §3.8.7); one without a zone is read as UTC. */
function toUtc(time: string | undefined): string | undefined {
  if (time === undefined || time.length === 10) return undefined;
  return time.length === 19 ? `${time}Z` : time;
}

/** The longest duration that counts as one: a hundred years. */
const LONGEST_MS = 100 * 366 * 86_400_000;

const DURATION =
  /^([+-]?)P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;
const UNITS_MS = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1000];

/**
 * The end of an event by its start and duration (RFC 5545 §3.8.2.5), with the offset of the start; undefined if the
 * duration cannot be read or is longer than any event.
 */
function addDuration(start: string, duration: string): string | undefined {
  const [whole, sign, ...counts] = DURATION.exec(duration.trim()) ?? [];
  if (whole === undefined || counts.every((count) => count === undefined)) return undefined;
  const lengthMs = counts.reduce((sum, count, at) => sum + Number(count ?? 0) * UNITS_MS[at]!, 0);
  if (lengthMs > LONGEST_MS) return undefined;
  const isDate = start.length === 10;
  const startMs = Date.parse(isDate ? `${start}T00:00:00Z` : `${start.slice(0, 19)}Z`);
  const end = new Date(startMs + (sign === "-" ? -lengthMs : lengthMs));
  const local = Number.isNaN(end.getTime()) ? "" : end.toISOString();
  // RFC 3339 allows only four-digit years.
  if (local.length !== 24) return undefined;
  return isDate ? local.slice(0, 10) : `${local.slice(0, 19)}${start.slice(19)}`;
}
