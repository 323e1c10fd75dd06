/** Texts that are hard to cut, find or store. */

/** Building blocks for text of any kind. */
export const PIECES = [
  "a",
  "word ",
  " ",
  "e\u0301",
  "\u0301",
  "\u0301\u0301\u0301",
  "😀",
  "👨‍👩‍👧‍👦",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
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
  "ก็",
  "नमस्ते",
  "⟦",
  "⟧",
  "…",
  "  ",
  "_",
  '"\\',
  "x".repeat(70),
  "\u00ad",
];

/** Every code point of the Basic Multilingual Plane except surrogates, in order. */
export function everyBmpChar(): string {
  let text = "";
  for (let code = 0; code < 0x10000; code += 1)
    if (code < 0xd800 || code > 0xdfff) text += String.fromCharCode(code);
  return text;
}

/** Code points of every plane, including the first and last of each. */
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
