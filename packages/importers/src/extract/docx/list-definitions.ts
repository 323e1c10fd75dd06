/** The lists that a Word document declares: their levels and formats, and the lists of its styles (ECMA-376 part 1, §17.9). */
import { type Attribute, toInteger, walkWordXml } from "./word-xml.ts";

/** How one level of a list is numbered. */
export interface ListLevel {
  start?: number | undefined;
  /** Such as `decimal`, `lowerRoman` or `bullet`. */
  format?: string | undefined;
  /** The label, with `%1` for the number of the first level. */
  text?: string | undefined;
  /** 0: the count continues after a new item of a higher level. */
  restart?: number | undefined;
  /** The paragraph style that is numbered by this level. */
  style?: string | undefined;
}

/** A list, or the abstract list that several lists share. */
export interface ListDefinition {
  readonly levels: Map<number, ListLevel>;
  /** Start numbers that override those of the abstract list. */
  readonly starts: Map<number, number>;
  abstract_id?: string | undefined;
  /** The style that has the levels, where the list refers to it. */
  style_link?: string | undefined;
}

/** The list of a style. */
export interface StyleList {
  num_id?: string | undefined;
  level?: number | undefined;
  based_on?: string | undefined;
}

/** All lists of a document. */
export interface ListDefinitions {
  readonly abstracts: ReadonlyMap<string, ListDefinition>;
  readonly lists: ReadonlyMap<string, ListDefinition>;
  readonly styles: ReadonlyMap<string, StyleList>;
}

type Openers = Readonly<Record<string, (attribute: Attribute) => void>>;

/** Reads the `numbering` and `styles` parts; a missing part declares nothing. */
export function readListDefinitions(
  numbering: Uint8Array | undefined,
  styles: Uint8Array | undefined,
): ListDefinitions {
  return { ...readLists(numbering), styles: readStyles(styles) };
}

function readLists(part: Uint8Array | undefined): Omit<ListDefinitions, "styles"> {
  const abstracts = new Map<string, ListDefinition>();
  const lists = new Map<string, ListDefinition>();
  let list: ListDefinition = { levels: new Map(), starts: new Map() };
  let at = 0;
  const begin = (all: Map<string, ListDefinition>, id: string | undefined): void => {
    list = { levels: new Map(), starts: new Map() };
    if (id !== undefined) all.set(id, list);
  };
  const moveTo = (attribute: Attribute): void => {
    at = toInteger(attribute("ilvl")) ?? 0;
  };
  const set = (fact: ListLevel): void => void list.levels.set(at, { ...list.levels.get(at), ...fact });
  walk(part, {
    abstractNum: (attribute) => begin(abstracts, attribute("abstractNumId")),
    num: (attribute) => begin(lists, attribute("numId")),
    abstractNumId: (attribute) => {
      list.abstract_id = attribute("val");
    },
    numStyleLink: (attribute) => {
      list.style_link = attribute("val");
    },
    lvl: moveTo,
    lvlOverride: moveTo,
    startOverride: (attribute) => void list.starts.set(at, toInteger(attribute("val")) ?? 1),
    start: (attribute) => set({ start: toInteger(attribute("val")) }),
    numFmt: (attribute) => set({ format: attribute("val") }),
    lvlText: (attribute) => set({ text: attribute("val") }),
    lvlRestart: (attribute) => set({ restart: toInteger(attribute("val")) }),
    pStyle: (attribute) => set({ style: attribute("val") }),
  });
  return { abstracts, lists };
}

function readStyles(part: Uint8Array | undefined): ReadonlyMap<string, StyleList> {
  const styles = new Map<string, StyleList>();
  let style: StyleList = {};
  walk(part, {
    style: (attribute) => {
      style = {};
      styles.set(attribute("styleId") ?? "", style);
    },
    basedOn: (attribute) => {
      style.based_on = attribute("val");
    },
    numId: (attribute) => {
      style.num_id = attribute("val");
    },
    ilvl: (attribute) => {
      style.level = toInteger(attribute("val"));
    },
  });
  return styles;
}

function walk(part: Uint8Array | undefined, openers: Openers): void {
  if (part) walkWordXml(part, { open: (name, attribute) => openers[name]?.(attribute) });
}
