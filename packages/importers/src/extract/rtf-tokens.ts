/** Rich Text Format (version 1.9.1) as tokens. */

/** A piece of RTF: the start or end of a group, a control word or symbol, bytes of text, or a Unicode character. */
export type RtfToken =
  | { readonly kind: "open" }
  | { readonly kind: "close" }
  | { readonly kind: "word"; readonly name: string; readonly number: number | undefined }
  | { readonly kind: "bytes"; readonly bytes: string }
  | { readonly kind: "symbol"; readonly sign: string };

const WORD = /\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|([\s\S]))/y;
const PLAIN = /[^\\{}\r\n]+/y;

/** Splits RTF, one character of `text` for each byte. Binary data is left out. */
export function* splitRtf(text: string): Generator<RtfToken> {
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
