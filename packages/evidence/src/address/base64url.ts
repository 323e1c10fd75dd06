/** Base64url (RFC 4648 §5, no padding) of UTF-8 text, without Node or DOM globals. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const SEXTETS: ReadonlyMap<string, number> = new Map([...ALPHABET].map((letter, value) => [letter, value]));

/** Encodes well-formed `text` as base64url. */
export function encodeBase64Url(text: string): string {
  const bytes = encodeUtf8(text);
  let encoded = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const left = Math.min(3, bytes.length - at);
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let letter = 0; letter <= left; letter += 1) {
      encoded += ALPHABET.charAt((group >> (18 - 6 * letter)) & 63);
    }
  }
  return encoded;
}

/** Decodes base64url; undefined unless it is the canonical encoding of well-formed UTF-8. */
export function decodeBase64Url(encoded: string): string | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of encoded) {
    const sextet = SEXTETS.get(letter);
    if (sextet === undefined) return undefined;
    bits = ((bits << 6) | sextet) & 0xfff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push((bits >> held) & 0xff);
  }
  const text = decodeUtf8(bytes);
  return text !== undefined && encodeBase64Url(text) === encoded ? text : undefined;
}

function encodeUtf8(text: string): number[] {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code));
    else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
  }
  return bytes;
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

// Overlong and surrogate sequences decode too; encoding the result again reveals them.
function decodeUtf8(bytes: readonly number[]): string | undefined {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at]!;
    const length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length === 0 || at + length > bytes.length) return undefined;
    let code = length === 1 ? lead : lead & (0xff >> (length + 1));
    for (const byte of bytes.slice(at + 1, at + length)) code = (code << 6) | (byte & 0x3f);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    text += String.fromCodePoint(code);
    at += length;
  }
  return text;
}
