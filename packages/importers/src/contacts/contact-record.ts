/** One card as a record. */
import { parseTimeMs } from "@rungs/contract";
import { joinKey } from "../record-item.ts";
import { type ContentLine, digestLines } from "../vobject/content-lines.ts";
import { listParamTexts, type Properties, type Property, readProperties } from "../vobject/properties.ts";

/** The fields of a card and its picture. */
export interface VCard {
  readonly data: { readonly id: string } & Readonly<Record<string, unknown>>;
  readonly photo?: Property | undefined;
  readonly broken: readonly ContentLine[];
}

/** Reads a card of any version; undefined if it has no name, organization, address or number. */
export function readCard(lines: readonly ContentLine[]): VCard | undefined {
  const is4 = lines.some(({ text }) => /^VERSION:\s*4/i.test(text));
  const properties = readProperties(lines, is4 ? "vcard" : "vcard3");
  const all = (name: string): string[] => properties.all(name).flatMap(listTexts);
  const labelled = (name: string, as: string): object[] =>
    properties.all(name).map((property) => ({
      [as]: listTexts(property)
        .join(", ")
        .replace(/^(?:tel|mailto):/i, ""),
      label: readLabel(property, properties),
    }));
  const emails = labelled("email", "address") as { address: string }[];
  const phones = labelled("tel", "number") as { number: string }[];
  const organization = listTexts(properties.first("org")).join(", ");
  const name =
    all("fn")[0]?.trim() || writeName(properties) || organization || emails[0]?.address || phones[0]?.number;
  if (name === undefined) return undefined;
  const uid = all("uid")[0] || all("x-abuid")[0];
  const data = {
    id: uid === undefined ? digestLines(lines) : joinKey(uid),
    uid,
    kind: (all("kind")[0] ?? all("x-addressbookserver-kind")[0])?.toLowerCase(),
    name,
    name_parts: readNameParts(properties),
    nicknames: all("nickname"),
    emails,
    phones,
    addresses: properties.all("adr").map((property) => readAddress(property, properties)),
    organization,
    title: all("title")[0] ?? all("role")[0],
    birthday: all("bday")[0],
    anniversary: all("anniversary")[0],
    notes: properties
      .all("note")
      .map((note) => note.values.map(String).join(","))
      .join("\n\n"),
    urls: labelled("url", "url"),
    messaging: labelled("impp", "address"),
    categories: all("categories"),
    members: [...all("member"), ...all("x-addressbookserver-member")],
    updated_at: toTime(all("rev")[0]),
    other: properties.list
      .filter(({ name }) => !TAKEN.has(name))
      .flatMap((property) => readOther(property, properties)),
  };
  return { data, photo: properties.first("photo"), broken: properties.broken };
}

/** Properties read above, about the file itself, or with bytes. */
const TAKEN = new Set(
  (
    "version prodid fn n uid x-abuid kind x-addressbookserver-kind nickname email tel adr org title bday anniversary note " +
    "url impp categories member x-addressbookserver-member rev photo x-ablabel logo sound key agent xml clientpidmap"
  ).split(" "),
);

const NAME_PARTS = ["family", "given", "additional", "prefix", "suffix"];
const ADDRESS_PARTS = ["post_box", "extended", "street", "city", "region", "postal_code", "country"];

/** The components of a structured value, each as one text. */
function splitComponents(property: Property | undefined): string[] {
  const value = property?.values[0];
  const components: unknown[] = Array.isArray(value) ? value : [value ?? ""];
  return components.map((component) => [component].flat().map(String).join(", ").trim());
}

function listTexts(property: Property | undefined): string[] {
  return (property?.values ?? [])
    .flatMap((value) => [value].flat(2).map(String))
    .filter((text) => text.trim() !== "");
}

function readNameParts(properties: Properties): Record<string, string> {
  return nameComponents(NAME_PARTS, splitComponents(properties.first("n")));
}

/** A name in Western order; cards that need another order have FN. */
function writeName(properties: Properties): string | undefined {
  const { family, given, additional, prefix, suffix } = readNameParts(properties);
  return [prefix, given, additional, family, suffix].filter(Boolean).join(" ") || undefined;
}

function readAddress(property: Property, properties: Properties): object {
  return {
    ...nameComponents(ADDRESS_PARTS, splitComponents(property)),
    label: readLabel(property, properties),
  };
}

function nameComponents(names: readonly string[], components: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, at) => [name, components[at] ?? ""]));
}

const MAX_OTHER_CHARS = 4096;

function readOther(property: Property, properties: Properties): object[] {
  const value = listTexts(property).join(", ");
  if (value.length > MAX_OTHER_CHARS) return [];
  return [{ name: property.name, value, label: readLabel(property, properties) }];
}

function toTime(text: string | undefined): string | undefined {
  const timeMs = text === undefined ? undefined : parseTimeMs(text);
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}

/** Types that say how to reach someone, not which address or number it is. */
const SILENT = new Set(["internet", "voice", "pref", "x400", "uri", "text"]);

/** The label of a number or address: Apple's label of the same group, else its types. */
function readLabel(property: Property, properties: Properties): string | undefined {
  const { group } = property;
  const label = properties.all("x-ablabel").find((each) => group !== undefined && each.group === group);
  if (label) return stripMarks(String(label.values[0] ?? ""));
  const types = listParamTexts(property, "type").flatMap((type) => type.toLowerCase().split(","));
  return types.filter((type) => type !== "" && !SILENT.has(type)).join(" ") || undefined;
}

/** Apple writes its own labels as `_$!<Home>!$_`. */
function stripMarks(text: string): string {
  return /^_\$!<(.*)>!\$_$/.exec(text)?.[1] ?? text;
}
