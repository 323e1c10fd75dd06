/** The numbers of list items and headings of a Word document, which its text does not contain. */
import type { ListDefinition, ListDefinitions, ListLevel, StyleList } from "./list-definitions.ts";

/** What a paragraph says about its list. */
export interface ListItemMark {
  style?: string | undefined;
  num_id?: string | undefined;
  level?: number | undefined;
}

/** The label of the next paragraph: `2.1. `, `* ` for a bullet, or nothing. Call it in the order of the document. */
export type NumberParagraph = (position: ListItemMark) => string;

const MAX_LEVELS = 9;
/** The maximum depth of styles based on one another. */
const MAX_STYLES = 20;

/** Creates the numbering of one document. */
export function createNumbering(definitions: ListDefinitions): NumberParagraph {
  const counters = new Map<string, (number | undefined)[]>();
  const used = new Set<string>();
  return (position) => {
    const place = locate(position, definitions);
    if (!place) return "";
    const counts = counters.get(place.abstract_id) ?? [];
    counters.set(place.abstract_id, counts);
    if (!used.has(place.num_id)) for (const [level, start] of place.starts) counts[level] = start - 1;
    used.add(place.num_id);
    countItem(counts, place.level, place.levels);
    return renderLabel(counts, place.level, place.levels);
  };
}

interface ListPlace extends Pick<ListDefinition, "levels" | "starts"> {
  readonly num_id: string;
  readonly abstract_id: string;
  readonly level: number;
}

/** The list and the level of a paragraph, by itself or by its style. */
function locate({ style, num_id, level }: ListItemMark, all: ListDefinitions): ListPlace | undefined {
  const inherited = num_id === undefined ? findStyleList(style, all.styles) : undefined;
  const id = num_id ?? inherited?.num_id ?? "";
  const list = all.lists.get(id);
  if (list?.abstract_id === undefined) return undefined;
  const linked = findStyleList(all.abstracts.get(list.abstract_id)?.style_link, all.styles)?.num_id;
  const abstract_id = all.lists.get(linked ?? "")?.abstract_id ?? list.abstract_id;
  const levels = new Map([...(all.abstracts.get(abstract_id)?.levels ?? []), ...list.levels]);
  const ofStyle = style === undefined ? undefined : [...levels].find((each) => each[1].style === style)?.[0];
  const at = level ?? inherited?.level ?? ofStyle ?? 0;
  return {
    num_id: id,
    abstract_id,
    levels,
    starts: list.starts,
    level: Math.min(Math.max(at, 0), MAX_LEVELS - 1),
  };
}

function findStyleList(
  style: string | undefined,
  styles: ReadonlyMap<string, StyleList>,
): StyleList | undefined {
  let id = style;
  for (let depth = 0; id !== undefined && depth < MAX_STYLES; depth += 1) {
    const found: StyleList | undefined = styles.get(id);
    if (found?.num_id !== undefined) return found;
    id = found?.based_on;
  }
  return undefined;
}

type Counts = (number | undefined)[];
type Levels = ReadonlyMap<number, ListLevel>;

function countItem(counts: Counts, level: number, levels: Levels): void {
  const startOf = (at: number) => levels.get(at)?.start ?? 1;
  for (let above = 0; above < level; above += 1) counts[above] ??= startOf(above);
  counts[level] = (counts[level] ?? startOf(level) - 1) + 1;
  for (let below = level + 1; below < MAX_LEVELS; below += 1) {
    if (levels.get(below)?.restart !== 0) counts[below] = undefined;
  }
}

function renderLabel(counts: Readonly<Counts>, level: number, levels: Levels): string {
  const { format, text = "" } = levels.get(level) ?? {};
  if (format === "bullet") return "* ";
  const label = text.replace(/%([1-9])/g, (_whole, digit: string) => {
    const at = Number(digit) - 1;
    return (formats[levels.get(at)?.format ?? "decimal"] ?? String)(counts[at] ?? 1);
  });
  return label.trim() === "" ? "" : `${label} `;
}

const formats: Readonly<Record<string, (value: number) => string>> = {
  decimalZero: (value) => String(value).padStart(2, "0"),
  lowerLetter: toLetters,
  upperLetter: (value) => toLetters(value).toUpperCase(),
  lowerRoman: toRoman,
  upperRoman: (value) => toRoman(value).toUpperCase(),
  none: () => "",
  bullet: () => "",
};

/** Beyond this, letters and Roman numerals become digits: their length grows with the number. */
const MAX_WRITTEN = 1000;

/** 26 is `z`, 27 `aa`, 28 `bb`. */
function toLetters(value: number): string {
  if (value < 1 || value > MAX_WRITTEN) return String(value);
  return String.fromCodePoint(0x61 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
}

const ROMAN = Object.entries({
  ...{ m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 },
});

function toRoman(value: number): string {
  if (value < 1 || value > MAX_WRITTEN) return String(value);
  let [rest, text] = [value, ""];
  for (const [letters, worth] of ROMAN) {
    text += letters.repeat(Math.floor(rest / worth));
    rest %= worth;
  }
  return text;
}
