import { type Properties, type Property, paramTexts } from "../vobject/properties.ts";

/** Types that say how a thing is reached, not whose or which it is. */
const SILENT = new Set(["internet", "voice", "pref", "x400", "uri", "text"]);

/** What a card calls one of its numbers or addresses: Apple's label of the same group, else its types. */
export function readLabel(property: Property, properties: Properties): string | undefined {
  const { group } = property;
  const label = properties.all("x-ablabel").find((each) => group !== undefined && each.group === group);
  if (label) return stripMarks(String(label.values[0] ?? ""));
  const types = paramTexts(property, "type").flatMap((type) => type.toLowerCase().split(","));
  return types.filter((type) => type !== "" && !SILENT.has(type)).join(" ") || undefined;
}

/** Apple writes its own labels as `_$!<Home>!$_`. */
function stripMarks(text: string): string {
  return /^_\$!<(.*)>!\$_$/.exec(text)?.[1] ?? text;
}
