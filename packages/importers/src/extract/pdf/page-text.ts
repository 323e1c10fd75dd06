/** The text of a page from the pieces that pdf.js finds. */
import { cleanText } from "../../clean-text.ts";
import { findAdded, findBorder, type TextItem } from "./place-items.ts";

/** How many pieces back to look for a redrawn one. */
const RECENT = 8;

/** Joins pieces: drops text redrawn in the same place, and infers missing word borders from positions. */
export function joinItems(
  items: readonly (TextItem | object)[],
  glyphs: ReadonlyMap<string, string> = new Map(),
): string {
  const recent: TextItem[] = [];
  const lines: string[] = [];
  let line = "";
  for (const item of items) {
    if (!("str" in item)) continue;
    const added = findAdded(item, recent, line);
    const isJoined = added !== "" && /\S$/.test(line) && /^\S/.test(added) && added === item.str;
    line += (isJoined ? findBorder(item, recent.findLast(hasText)) : "") + added;
    recent.push(item);
    if (recent.length > RECENT) recent.shift();
    if (!item.hasEOL) continue;
    lines.push(line);
    line = "";
  }
  const text = [...lines, line].join("\n");
  return joinMarks(replaceUnknown(cleanText(replaceGlyphs(text, glyphs))));
}

const hasText = ({ str }: TextItem) => str.trim() !== "";

function replaceGlyphs(text: string, glyphs: ReadonlyMap<string, string>): string {
  if (glyphs.size === 0) return text;
  return Array.from(text, (character) => glyphs.get(character) ?? character).join("");
}

/**
 * A mark belongs to the letter before it, and the hasanta of Bengali joins two consonants: a gap there comes from the widths
 * in a font, not from the end of a word. Vowels that are drawn before their letter may begin a word.
 */
function joinMarks(text: string): string {
  return text.replace(
    /(?<=\p{L}\p{M}*) (?=\p{M})(?![\u093f\u09bf\u09c7\u09c8\u0a3f\u0abf\u0b47\u0b48\u0bc6-\u0bc8\u0d46-\u0d48])|(?<=\u09cd) (?=[\u0980-\u09ff])/gu,
    "",
  );
}

/** Adobe's private characters for old-style digits and small capitals. */
const DIGIT_0 = 0xf730;
const SMALL_A = 0xf761;

/** Maps Adobe's private characters and bullets; a character to which a font gives no meaning becomes U+FFFD. */
function replaceUnknown(text: string): string {
  return (
    text
      .replace(/[\uf730-\uf739]/g, (digit) => String(digit.charCodeAt(0) - DIGIT_0))
      .replace(/[\uf761-\uf77a]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - SMALL_A + 0x61))
      .replace(/[\uf0a7\uf0b7\uf0d8\uf0fc]/g, "\u2022")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what fonts without a map give.
      .replace(/[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]/g, "\ufffd")
  );
}

/** Whether too many characters are unknown for the text to represent the page. */
export function isUnknown(text: string): boolean {
  const shown = text.replace(/\s+/g, "");
  const share = (unknown: RegExp) => (shown.match(unknown)?.length ?? 0) / shown.length;
  return share(/\ufffd/g) > MAX_UNKNOWN || share(/[\ue000-\uf8ff]/g) > MAX_PRIVATE;
}

const MAX_UNKNOWN = 0.005;
/** Icons are private characters too. */
const MAX_PRIVATE = 0.1;

/** A word hyphenated at the end of a line, and its remainder. */
const BROKEN = /(\p{L}+)(?:\u00ad|[-\u2010])\n(\p{Ll}+)/gu;
const WORDS = /\p{L}+(?:-\p{L}+)*/gu;

/**
 * Joins words that are broken at the end of a line: readers search for whole words. A compound that the document writes with
 * a hyphen elsewhere, and never without, keeps it.
 */
export function joinBrokenWords(pages: readonly string[]): string[] {
  if (!pages.some((page) => /[-\u00ad\u2010]\n/.test(page))) return [...pages];
  const words = new Set(pages.flatMap((page) => page.toLowerCase().match(WORDS) ?? []));
  return pages.map((page) =>
    page.replace(BROKEN, (whole, start: string, rest: string) => {
      const [plain, compound] = [start + rest, `${start}-${rest}`].map((word) => word.toLowerCase());
      const isCompound = whole.includes("-") && words.has(compound!) && !words.has(plain!);
      return isCompound ? `${start}-${rest}` : start + rest;
    }),
  );
}
