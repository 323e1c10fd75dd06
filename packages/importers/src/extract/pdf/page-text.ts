/** The text of a page from the pieces that pdf.js finds. */
import { cleanText } from "../../clean-text.ts";

/** A piece of text with its place on the page. */
export interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  readonly transform: readonly number[];
}

/** Joins pieces. A piece that is drawn again in its place, which makes it look bold, counts once. */
export function joinItems(items: readonly (TextItem | object)[]): string {
  let last: TextItem | undefined;
  const pieces: string[] = [];
  for (const item of items) {
    if (!("str" in item)) continue;
    if (!isRepeated(item, last)) pieces.push(item.str);
    if (item.hasEOL) pieces.push("\n");
    if (item.str.trim() !== "") last = item;
  }
  return replaceUnknown(cleanText(pieces.join("")));
}

/** How far from its place a piece may be drawn again, by its height. */
const SAME_PLACE = 0.1;

function isRepeated(item: TextItem, last: TextItem | undefined): boolean {
  if (!last || item.str !== last.str || item.str.trim() === "") return false;
  const away = (at: number) => Math.abs((item.transform[at] ?? 0) - (last.transform[at] ?? 0));
  return Math.max(away(4), away(5)) <= item.height * SAME_PLACE;
}

/** Adobe's private characters for old-style digits and small capitals. */
const DIGIT_0 = 0xf730;
const SMALL_A = 0xf761;

/** Reads Adobe's private characters and bullets; a character that a font gives no meaning becomes U+FFFD. */
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

/** Whether so many characters are unknown that the text is not the text of the page. */
export function isUnknown(text: string): boolean {
  const shown = text.replace(/\s+/g, "");
  const share = (unknown: RegExp) => (shown.match(unknown)?.length ?? 0) / shown.length;
  return share(/\ufffd/g) > MAX_UNKNOWN || share(/[\ue000-\uf8ff]/g) > MAX_PRIVATE;
}

const MAX_UNKNOWN = 0.005;
/** Icons are private characters too. */
const MAX_PRIVATE = 0.1;

/** A word that ends its line with a hyphen, and its rest. */
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
