import ICAL from "ical.js";
import type { ContentLine } from "./content-lines.ts";

/** One property of an event or a contact in the form of jCal (RFC 7265 §3.4). */
export interface Property {
  readonly name: string;
  readonly type: string;
  readonly params: Readonly<Record<string, string | readonly string[]>>;
  /** Apple's labels apply to the properties of the same group: `item1.EMAIL`, `item1.X-ABLabel`. */
  readonly group?: string | undefined;
  readonly values: readonly unknown[];
  /** The value as written in the file. */
  readonly raw: string;
  readonly line: ContentLine;
}

/** The properties of a component without those of nested components, and the lines that cannot be parsed. */
export interface Properties {
  all(name: string): readonly Property[];
  first(name: string): Property | undefined;
  readonly list: readonly Property[];
  readonly broken: readonly ContentLine[];
}

type Jcal = [name: string, params: Record<string, string | string[]>, type: string, ...values: unknown[]];

/** Parses the properties of a component line by line, so that a broken line does not affect the others. */
export function readProperties(
  lines: readonly ContentLine[],
  rules: "icalendar" | "vcard" | "vcard3",
): Properties {
  const list: Property[] = [];
  const broken: ContentLine[] = [];
  let depth = 0;
  for (const line of lines) {
    const [edge] = /^(?:BEGIN|END)(?=:)/i.exec(line.text) ?? [];
    if (edge !== undefined) depth += edge.toUpperCase() === "BEGIN" ? 1 : -1;
    if (edge !== undefined || depth > 1) continue;
    const property = parseProperty(line, rules);
    if (property) list.push(property);
    else broken.push(line);
  }
  const all = (name: string): readonly Property[] => list.filter((property) => property.name === name);
  return { all, first: (name) => all(name)[0], list, broken };
}

function parseProperty(line: ContentLine, rules: "icalendar" | "vcard" | "vcard3"): Property | undefined {
  const text = addTypeNames(line.text);
  try {
    const jcal: Jcal = ICAL.parse.property(text, ICAL.design[rules]);
    const [name, { group, ...params }, type, ...values] = jcal;
    const raw = text.slice(findHeadEnd(text) + 1);
    return { name, type, params, values, raw, line, ...(typeof group === "string" ? { group } : {}) };
  } catch {
    return undefined;
  }
}

/** vCard 2.1 leaves out the name of a parameter: `TEL;CELL;VOICE:` for `TEL;TYPE=CELL;TYPE=VOICE:`. */
function addTypeNames(line: string): string {
  const end = findHeadEnd(line);
  const head = line.slice(0, Math.max(0, end));
  if (!head.includes(";") || head.includes('"')) return line;
  const [name, ...params] = head.split(";");
  const named = params.map((param) => (param.includes("=") ? param : `TYPE=${param}`));
  return `${[name, ...named].join(";")}${line.slice(end)}`;
}

/** The texts of a parameter: `TYPE=home,work` and `TYPE=home;TYPE=work` are equivalent, and can be combined. */
export function listParamTexts({ params }: Property, name: string): string[] {
  const value = params[name] ?? [];
  // Despite its types, the library nests the lists of a repeated parameter.
  return [value].flat(2);
}

/** The first colon outside quotes. */
function findHeadEnd(line: string): number {
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"') quoted = !quoted;
    else if (line[at] === ":" && !quoted) return at;
  }
  return line.indexOf(":");
}
