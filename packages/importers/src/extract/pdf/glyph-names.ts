/** Characters of fonts whose glyph names end in a variant, such as `one.os` for an old-style digit, which pdf.js does not read. */
import type { getDocumentProxy } from "unpdf";

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;

/** Matches a character without a meaning, which appears in the text as its code in the font. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what fonts without a map give.
const UNKNOWN = /[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]/;

const DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** The meaning of codes on a page, from the glyph names of its fonts; empty if all characters have one. */
export async function readGlyphNames(
  page: Page,
  items: readonly object[],
): Promise<ReadonlyMap<string, string>> {
  const glyphs = new Map<string, string>();
  if (!items.some((item) => "str" in item && UNKNOWN.test(String(item.str)))) return glyphs;
  const fonts = new Set(items.flatMap((item) => ("fontName" in item ? String(item.fontName) : [])));
  // Fonts are complete once the page's operator list was read.
  const { fnArray, argsArray } = await page.getOperatorList();
  for (const [at, args] of argsArray.entries()) {
    if (fnArray[at] === SET_FONT && typeof args?.[0] === "string") fonts.add(args[0]);
  }
  for (const name of fonts) {
    const font: unknown = page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined;
    const differences = (font as { differences?: object } | undefined)?.differences ?? {};
    for (const [code, glyph] of Object.entries(differences)) {
      const meaning = nameGlyph(String(glyph));
      const character = String.fromCharCode(Number(code));
      if (meaning === undefined || !UNKNOWN.test(character)) continue;
      // Ignore codes on which two fonts disagree.
      glyphs.set(character, (glyphs.get(character) ?? meaning) === meaning ? meaning : "\ufffd");
    }
  }
  return glyphs;
}

/** `OPS.setFont` of pdf.js. */
const SET_FONT = 37;

function nameGlyph(glyph: string): string | undefined {
  const [, name = ""] = /^([A-Za-z]+)\.\w+$/.exec(glyph) ?? [];
  const digit = DIGITS.indexOf(name);
  if (digit >= 0) return String(digit);
  return name.length === 1 ? name : undefined;
}
