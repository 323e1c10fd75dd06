import { cleanText } from "../clean-text.ts";
import type { Extraction } from "./extraction.ts";
import { htmlToText } from "./html-text.ts";
import { findCodePage, findFontCharset } from "./rtf-charsets.ts";
import { Unreadable } from "./unreadable.ts";

/** What an RTF file holds: its text, or the HTML that Outlook wrapped in it ([MS-OXRTFEX]). */
interface RtfContent {
  readonly text: string;
  readonly title?: string | undefined;
  readonly is_html: boolean;
  /** Whether its code page is not known. */
  readonly is_uncertain: boolean;
}

/** The text of an RTF document. */
export function extractRtf(bytes: Uint8Array): Extraction {
  const { text, title, is_html, is_uncertain } = readRtf(bytes);
  const page = is_html ? htmlToText(text) : { text: tidy(text), title };
  const shown = page.title === undefined ? {} : { title: page.title };
  const uncertain = "Its code page is not known; it was read as windows-1252.";
  return { kind: "text", text: page.text, ...shown, ...(is_uncertain ? { uncertain } : {}) };
}

/** Groups that hold no document text. */
const SKIPPED = new Set(
  "fonttbl colortbl stylesheet listtable listoverridetable rsidtbl pict object themedata datastore generator xmlnstbl latentstyles fldinst filetbl revtbl private bkmkstart bkmkend pntext nonshppict info".split(
    " ",
  ),
);

const WORDS: Readonly<Record<string, string>> = {
  par: "\n",
  line: "\n",
  sect: "\n\n",
  page: "\n\n",
  tab: "\t",
  cell: " | ",
  nestcell: " | ",
  row: "\n",
  nestrow: "\n",
  emdash: "—",
  endash: "–",
  bullet: "•",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  emspace: " ",
  enspace: " ",
};

const SYMBOLS: Readonly<Record<string, string>> = { "~": "\u00a0", _: "-", "\n": "\n", "\r": "\n" };

const DEPTH_MAX = 10_000;

interface Group {
  readonly target: "text" | "title" | "fonts" | "none";
  readonly charset: string | undefined;
  /** How many characters stand for a Unicode character in programs that do not know it. */
  readonly fallback: number;
  /** Whether the text is only for readers without HTML support. */
  readonly is_for_rtf: boolean;
  /** Whether the next word names an optional destination. */
  readonly is_optional: boolean;
}

/** Reads RTF to its end: time and memory are linear in its size. */
export function readRtf(bytes: Uint8Array): RtfContent {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  if (!source.startsWith("{\\rtf")) throw new Unreadable("It is not RTF.");
  const groups: Group[] = [];
  const out = { text: [] as string[], title: [] as string[] };
  const fonts = new Map<number, string | undefined>();
  let group: Group = {
    target: "text",
    charset: undefined,
    fallback: 1,
    is_for_rtf: false,
    is_optional: false,
  };
  let [page, font, skip, pending] = [undefined as string | undefined, 0, 0, ""];
  let [is_html, is_uncertain] = [false, false];

  const add = (text: string): void => {
    if (group.is_for_rtf && is_html) return;
    if (group.target === "text" || group.target === "title") out[group.target].push(text);
  };
  // Decode bytes together: Chinese and Japanese characters have two.
  const flush = (): void => {
    if (pending === "") return;
    const decoder = new TextDecoder(group.charset ?? page ?? "windows-1252");
    add(decoder.decode(Buffer.from(pending, "latin1")));
    pending = "";
  };
  const addBytes = (bytes: string): void => {
    const kept = bytes.slice(skip);
    skip -= bytes.length - kept.length;
    if (group.target !== "none" && group.target !== "fonts") pending += kept;
  };
  const words: Readonly<Record<string, (number: number | undefined) => void>> = {
    ansicpg: (number) => {
      page = findCodePage(number);
      is_uncertain = page === undefined;
    },
    mac: () => {
      page = "macintosh";
    },
    fromhtml: () => {
      is_html = true;
    },
    htmlrtf: (number) => {
      group = { ...group, is_for_rtf: number !== 0 };
    },
    uc: (number = 1) => {
      group = { ...group, fallback: Math.max(0, number) };
    },
    u: (number = 0) => {
      add(String.fromCharCode(number < 0 ? number + 65_536 : number));
      skip = group.fallback;
    },
    f: (number = 0) => {
      font = number;
      if (group.target !== "fonts") group = { ...group, charset: fonts.get(number) };
    },
    fcharset: (number) => {
      if (group.target === "fonts") fonts.set(font, findFontCharset(number));
    },
    fonttbl: () => {
      group = { ...group, target: "fonts" };
    },
    title: () => {
      const isInfo = groups.at(-1)?.target === "none";
      if (isInfo) group = { ...group, target: "title" };
    },
  };
  const readWord = (name: string, number: number | undefined): void => {
    skip = 0;
    const was_optional = group.is_optional;
    if (was_optional) group = { ...group, is_optional: false };
    if (Object.hasOwn(words, name)) words[name]?.(number);
    else if (name === "htmltag" && is_html) group = { ...group, is_for_rtf: false };
    else if (SKIPPED.has(name) || was_optional) group = { ...group, target: "none" };
    else if (Object.hasOwn(WORDS, name)) add(WORDS[name] ?? "");
  };
  const readToken = (token: RtfToken): void => {
    if (token.kind === "bytes") {
      addBytes(token.bytes);
      return;
    }
    flush();
    if (token.kind === "word") readWord(token.name, token.number);
    else if (token.kind === "open") {
      if (groups.length === DEPTH_MAX) throw new Unreadable("It nests too deep or grows too large.");
      groups.push(group);
    } else if (token.kind === "close") group = groups.pop() ?? group;
    else if (token.sign === "*") group = { ...group, is_optional: true };
    else if (/[\\{}]/.test(token.sign)) addBytes(token.sign);
    else add(SYMBOLS[token.sign] ?? "");
  };
  for (const token of splitRtf(source)) readToken(token);
  flush();
  const title = cleanText(out.title.join("")).trim();
  return {
    text: cleanText(out.text.join("")),
    ...(title === "" ? {} : { title }),
    is_html,
    is_uncertain,
  };
}

function tidy(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/(?: \| )+$/, "").trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** A piece of RTF: the start or end of a group, a control word or symbol, bytes of text, or a Unicode character. */
type RtfToken =
  | { readonly kind: "open" }
  | { readonly kind: "close" }
  | { readonly kind: "word"; readonly name: string; readonly number: number | undefined }
  | { readonly kind: "bytes"; readonly bytes: string }
  | { readonly kind: "symbol"; readonly sign: string };

const WORD = /\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|([\s\S]))/y;
const PLAIN = /[^\\{}\r\n]+/y;

/** Splits RTF, one character of `text` for each byte. Binary data is left out. */
function* splitRtf(text: string): Generator<RtfToken> {
  for (let at = 0; at < text.length; ) {
    const sign = text[at];
    if (sign === "{" || sign === "}") {
      if (sign === "{") yield { kind: "open" };
      else yield { kind: "close" };
      at += 1;
    } else if (sign === "\\") {
      WORD.lastIndex = at;
      const [whole = "\\", name, digits, hex, symbol] = WORD.exec(text) ?? [];
      at += whole.length;
      if (name === "bin") at += Math.max(0, Number(digits ?? 0));
      else if (name !== undefined)
        yield { kind: "word", name, number: digits === undefined ? undefined : Number(digits) };
      else if (hex !== undefined)
        yield { kind: "bytes", bytes: String.fromCharCode(Number.parseInt(hex, 16)) };
      else if (symbol !== undefined) yield { kind: "symbol", sign: symbol };
    } else if (sign === "\r" || sign === "\n") at += 1;
    else {
      PLAIN.lastIndex = at;
      const bytes = PLAIN.exec(text)?.[0] ?? sign ?? "";
      yield { kind: "bytes", bytes };
      at += bytes.length;
    }
  }
}
