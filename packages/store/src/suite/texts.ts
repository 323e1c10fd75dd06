/** Texts that are hard to cut, find or store. */
import fc from "fast-check";

const PIECES = [
  "a",
  "word ",
  " ",
  "e\u0301",
  "\u0301\u0301\u0301",
  "😀",
  "👨‍👩‍👧‍👦",
  "🇩🇪",
  "\u0000",
  "\r\n",
  "\n",
  "\u2028",
  "\u202e",
  "\u200b",
  "\ufeff",
  "\ufffe\uffff",
  "\u{10ffff}",
  "שלום ",
  "漢字",
  "か\u3099",
  "ภาษาไทย",
  "한국어 ",
  "နေကောင်းလား။",
  "_",
  '"\\',
  "x".repeat(70),
  "\u00ad",
];

/** Well-formed text of any length up to some chunks, made of few pieces that repeat. */
export const longText = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.integer({ min: 1, max: 1500 })), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.map(([piece, count]) => piece.repeat(count)).join(""));

/** Well-formed text with any code points, mixed finely. */
export const mixedText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 400, size: "max" })
  .map((pieces) => pieces.join(""));

/** Every code point of the Basic Multilingual Plane that is no surrogate, in order. */
export function everyBmpChar(): string {
  let text = "";
  for (let code = 0; code < 0x10000; code += 1) if (code < 0xd800 || code > 0xdfff) text += String.fromCharCode(code);
  return text;
}

/** Code points of every plane, the first and last of each among them. */
export function samplesOfEveryPlane(): string {
  let text = "";
  for (let plane = 0; plane <= 0x10; plane += 1) {
    for (let offset = 0; offset < 0x10000; offset += 257) {
      const code = plane * 0x10000 + offset;
      if (code < 0xd800 || code > 0xdfff) text += String.fromCodePoint(code);
    }
    text += String.fromCodePoint(plane * 0x10000 + 0xffff);
  }
  return text;
}
