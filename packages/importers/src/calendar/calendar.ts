import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import type { Importer } from "../importer.ts";
import { type Component, readComponents } from "../vobject/components.ts";
import { type ContentLine, readContentLines } from "../vobject/content-lines.ts";
import { type ComponentNames, readEach, recogniseComponents } from "../vobject/files.ts";
import { numberItems } from "../vobject/items.ts";
import { readEvent } from "./event-record.ts";
import { calendarManifest } from "./manifest.ts";
import { parseZone } from "./zone-rules.ts";
import type { Zones } from "./zone-time.ts";

const WRAPPER = "VCALENDAR";
const NAMES: ComponentNames = { first: WRAPPER, inner: ["VEVENT", "VTODO", "VJOURNAL", "VTIMEZONE"] };

/** Calendar files: iCalendar, and the vCalendar before it. */
export const calendar: Importer = {
  id: "calendar",
  label: "calendar (ICS)",
  get manifest() {
    return calendarManifest();
  },
  recognition: { kind: "file", recognise: (sample) => recogniseComponents(sample, NAMES) },
  async *read(source) {
    const skipped = new Map<string, number>();
    const items = readEach(source.files, NAMES, (entry) => readFile(entry, skipped));
    yield* numberItems(items, source.resume);
    for (const [name, count] of skipped) source.note(`Left out: ${count} components of the kind ${name}.`);
  },
};

const streams: Readonly<Record<string, string>> = { VEVENT: "events", VTODO: "todos", VJOURNAL: "journals" };

async function* readFile(entry: FileEntry, skipped: Map<string, number>): AsyncGenerator<ImportedItem> {
  const named = posix.basename(entry.path).replace(/\.[^.]*$/, "");
  const zones: Zones = new Map();
  let calendar = named;
  for await (const component of readComponents(readContentLines(entry), WRAPPER)) {
    if (component.kind === "broken") {
      yield { kind: "rejected", place: formatPlace(entry, component.line), reason: component.reason };
    } else if (component.name === "") calendar = readName(component.lines[0]!, named) ?? calendar;
    else if (component.name === "VTIMEZONE") addZone(component.lines, zones);
    else if (streams[component.name] === undefined) {
      skipped.set(component.name, (skipped.get(component.name) ?? 0) + 1);
    } else yield* readOne(component, { entry, calendar, zones });
  }
}

interface FileContext {
  readonly entry: FileEntry;
  readonly calendar: string;
  readonly zones: Zones;
}

function* readOne(
  { name, lines }: Extract<Component, { kind: "component" }>,
  { entry, calendar, zones }: FileContext,
): Generator<ImportedItem> {
  const place = formatPlace(entry, lines[0]?.number ?? 0);
  const { record, broken } = readEvent(lines, { stream: streams[name]!, place, calendar, zones });
  yield record ?? { kind: "rejected", place, reason: `The ${name} has no content.` };
  for (const { number } of broken) {
    const reason = "The line cannot be read; the rest of its component was.";
    yield { kind: "rejected", place: formatPlace(entry, number), reason };
  }
}

function formatPlace(entry: FileEntry, line: number): string {
  return `${entry.path}, line ${line}`;
}

/** The name of the calendar; reset at each calendar of a file. */
function readName({ text }: ContentLine, named: string): string | undefined {
  if (/^BEGIN:/i.test(text)) return named;
  const name = /^X-WR-CALNAME[^:]*:(.*)$/is.exec(text)?.[1];
  return name === undefined ? undefined : name.replace(/\\([,;\\])/g, "$1").trim() || named;
}

/** A zone that cannot be parsed is ignored: its times stay local. */
function addZone(lines: readonly ContentLine[], zones: Zones): void {
  const zone = parseZone(lines);
  if (zone) zones.set(zone.tzid, zone.rules);
}
