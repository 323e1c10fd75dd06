/** The text of one part of a Word document: paragraphs with their list numbers, rows of tables, references to notes. */
import type { ListItemMark, NumberParagraph } from "./numbering.ts";
import { type Attribute, toInteger, walkWordXml } from "./word-xml.ts";

/** What the parts of a document share. */
export interface DocxContext {
  readonly number: NumberParagraph;
  /** Notes that the text refers to, as `footnote 2`, with the numbers that readers see. */
  readonly references: Map<string, number>;
  /** The labels of comments, by `comment 7`. */
  readonly comment_labels: ReadonlyMap<string, string>;
}

/** A part as text. */
export interface DocxPart {
  readonly text: string;
  /** Text that is formatted as hidden. */
  readonly hidden: string;
  /** The notes or comments of the part, in order, by name, such as `footnote 2`. */
  readonly entries: ReadonlyMap<string, DocxEntry>;
  /** False if the XML ends before its root does. */
  readonly is_whole: boolean;
  /** Files in other formats that the part embeds as text. */
  readonly embedded: number;
}

/** A note or a comment. */
export interface DocxEntry {
  readonly text: string;
  readonly author: string;
}

/** Reads a part from its first element to its last. */
export function readDocxPart(xml: Uint8Array, context: DocxContext): DocxPart {
  const state = createState(context);
  let skipped = 0;
  const is_whole = walkWordXml(xml, {
    open(name, attribute) {
      if (name === "del" && state.properties > 0) markJoined(state);
      if (skipped > 0 || SKIPPED.test(name)) skipped += 1;
      if (skipped > 0) return;
      if (CAPTURED.has(name)) state.captured.push("");
      openers[name]?.(state, attribute);
    },
    text(text) {
      if (skipped > 0 || state.texts === 0) return;
      if (state.is_hidden) state.hidden.push(text);
      else add(state, text);
    },
    close(name) {
      if (skipped > 0) skipped -= 1;
      else closers[name]?.(state, CAPTURED.has(name) ? state.captured.pop()! : "");
    },
  });
  const { captured, hidden, entries, embedded } = state;
  const text = captured.join("").replace(/\n{3,}/g, "\n\n");
  return { text: text.trim(), hidden: hidden.join(" ").trim(), entries, is_whole, embedded };
}

/** Removed by tracked changes, the older alternative of a drawing, and properties before a change. */
const SKIPPED = /^(?:del|moveFrom|Fallback|\w+PrChange)$/;
/** Elements whose text goes elsewhere than into the text around them. */
const CAPTURED = new Set(["p", "tc", "rt", "footnote", "endnote", "comment"]);

interface State {
  readonly context: DocxContext;
  readonly captured: string[];
  readonly paragraphs: Paragraph[];
  readonly rows: string[][];
  readonly hidden: string[];
  readonly entries: Map<string, DocxEntry>;
  entry: { readonly id: string; readonly author: string };
  /** Phonetic text (ruby) for the characters that follow. */
  ruby: string;
  /** How many elements for text, and for properties of paragraphs, are open. */
  texts: number;
  properties: number;
  is_hidden: boolean;
  embedded: number;
}

interface Paragraph extends ListItemMark {
  /** Whether a tracked change merges it with the next. */
  is_joined?: boolean;
}

function createState(context: DocxContext): State {
  return {
    context,
    captured: [""],
    paragraphs: [],
    rows: [],
    hidden: [],
    entries: new Map(),
    entry: { id: "", author: "" },
    ruby: "",
    texts: 0,
    properties: 0,
    is_hidden: false,
    embedded: 0,
  };
}

function add({ captured }: State, text: string): void {
  captured.push(captured.pop()! + text);
}

function refer(state: State, key: string): void {
  const { references } = state.context;
  const number = references.get(key) ?? references.size + 1;
  references.set(key, number);
  add(state, `[${number}]`);
}

function describeParagraph({ paragraphs }: State, fact: Paragraph): void {
  const paragraph = paragraphs.at(-1);
  if (paragraph) Object.assign(paragraph, fact);
}

function markJoined(state: State): void {
  describeParagraph(state, { is_joined: true });
}

const openEntry = (kind: string) => (state: State, attribute: Attribute) => {
  state.entry = { id: `${kind} ${attribute("id")}`, author: attribute("author") ?? "" };
};

const openers: Readonly<Record<string, (state: State, attribute: Attribute) => void>> = {
  p: ({ paragraphs }) => void paragraphs.push({}),
  tr: ({ rows }) => void rows.push([]),
  pPr: (state) => {
    state.properties += 1;
  },
  r: (state) => {
    state.is_hidden = false;
  },
  t: (state) => {
    state.texts += 1;
  },
  altChunk: (state) => {
    state.embedded += 1;
  },
  vanish: (state, attribute) => {
    if (state.properties === 0) state.is_hidden = !/^(?:0|false|off)$/.test(attribute("val") ?? "");
  },
  tab: (state) => {
    // Also an element of properties, for tab stops.
    if (state.properties === 0) add(state, "\t");
  },
  ptab: (state) => add(state, "\t"),
  br: (state) => add(state, "\n"),
  cr: (state) => add(state, "\n"),
  noBreakHyphen: (state) => add(state, "-"),
  sym: (state, attribute) => add(state, readSymbol(attribute("char"))),
  txbxContent: (state) => add(state, "\n"),
  docPr: (state, attribute) => {
    const description = attribute("descr")?.trim() ?? "";
    if (description !== "") add(state, ` ${description} `);
  },
  checkBox: (state) => add(state, "[ ]"),
  checked: (state, attribute) => {
    const last = state.captured.at(-1)!;
    const isOn = !/^(?:0|false|off)$/.test(attribute("val") ?? "");
    if (isOn && last.endsWith("[ ]")) state.captured.splice(-1, 1, `${last.slice(0, -3)}[x]`);
  },
  footnoteReference: (state, attribute) => refer(state, `footnote ${attribute("id")}`),
  endnoteReference: (state, attribute) => refer(state, `endnote ${attribute("id")}`),
  commentReference: (state, attribute) =>
    add(state, state.context.comment_labels.get(`comment ${attribute("id")}`) ?? ""),
  pStyle: (state, attribute) => describeParagraph(state, { style: attribute("val") }),
  numId: (state, attribute) => describeParagraph(state, { num_id: attribute("val") }),
  ilvl: (state, attribute) => describeParagraph(state, { level: toInteger(attribute("val")) }),
  footnote: openEntry("footnote"),
  endnote: openEntry("endnote"),
  comment: openEntry("comment"),
};

function closeEntry(state: State, text: string): void {
  const { id, author } = state.entry;
  state.entries.set(id, { text: text.trim(), author });
}

const closers: Readonly<Record<string, (state: State, text: string) => void>> = {
  p: (state, text) => {
    const { is_joined = false, ...position } = state.paragraphs.pop() ?? {};
    const label = state.context.number(position);
    add(state, is_joined ? label + text : `${label}${text}\n\n`);
  },
  pPr: (state) => {
    state.properties -= 1;
  },
  t: (state) => {
    state.texts -= 1;
  },
  tc: ({ rows }, text) => void rows.at(-1)?.push(text.trim().replace(/\s*\n\s*/g, " ")),
  tr: (state) => add(state, `${state.rows.pop()?.join(" | ") ?? ""}\n`),
  tbl: (state) => add(state, "\n"),
  rt: (state, text) => {
    state.ruby = text;
  },
  ruby: (state) => {
    if (state.ruby !== "") add(state, `(${state.ruby})`);
    state.ruby = "";
  },
  footnote: closeEntry,
  endnote: closeEntry,
  comment: closeEntry,
};

/** Wingdings symbols with a meaning; the others are ornaments. */
const SYMBOLS: Readonly<Record<string, string>> = {
  F0A8: "\u2610",
  F06F: "\u2610",
  F0FE: "\u2612",
  F078: "\u2612",
  F052: "\u2611",
  F0FC: "\u2713",
  F0FB: "\u2717",
  F0E0: "\u2192",
  F0DF: "\u2190",
};

function readSymbol(hex = ""): string {
  const code = /^[0-9a-f]{4,5}$/i.test(hex) ? Number.parseInt(hex, 16) : 0;
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  return SYMBOLS[hex.toUpperCase()] ?? (code === 0 || isPrivate ? "" : String.fromCodePoint(code));
}
