/** Strings that encode bytes (R33): which strings these are, and which characters hold which bytes. */

/** How a string encodes bytes, and what they are. */
export interface EncodedBytes {
  readonly encoding: Encoding;
  readonly mime_type: string;
  readonly size_bytes: number;
  /** Where the encoded characters begin: after the header of a `data:` URL. */
  readonly start_chars: number;
  /** The length of each line and of the break after it; absent for one line. A length of 0 means lines of any length. */
  readonly line_chars?: number;
  readonly break_chars?: number;
}

/** What a manifest declares about a string (JSON Schema's `contentEncoding` and `contentMediaType`). */
export interface DeclaredContent {
  readonly encoding?: string | undefined;
  readonly media_type?: string | undefined;
}

type Encoding = "base64" | "base32" | "hex";

/** The bits per character, and the smallest number of bytes that ends on a character boundary. */
const ALPHABETS = {
  base64: { bits: 6, group_bytes: 3 },
  base32: { bits: 5, group_bytes: 5 },
  hex: { bits: 4, group_bytes: 1 },
} as const;

const DECLARED: Readonly<Record<string, Encoding>> = {
  base64: "base64",
  base64url: "base64",
  base32: "base32",
  base16: "hex",
  hex: "hex",
};

/** A shorter undeclared string may be an id, a token, a key or a digest. */
const UNDECLARED_MIN_CHARS = 1024;
const SIGNED_MIN_CHARS = 64;
const SAMPLE_CHARS = 1024;
const LINE_CHARS = { least: 32, most: 1024 };
const DATA_URL = /^data:([^,;]{0,255})(?:;[^,;]{0,255}){0,8};base64,/i;

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/** The first bytes of common files, in hex. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^89504e470d0a1a0a/, "image/png"],
  [/^ffd8ff/, "image/jpeg"],
  [/^47494638/, "image/gif"],
  [/^52494646.{8}57454250/, "image/webp"],
  [/^25504446/, "application/pdf"],
  [/^504b0304/, "application/zip"],
  [/^1f8b08/, "application/gzip"],
  [/^377abcaf271c/, "application/x-7z-compressed"],
  [/^.{8}66747970/, "video/mp4"],
  [/^4f676753/, "application/ogg"],
];

/**
 * Whether and how a whole string encodes bytes: declared so, a `data:` URL, base64 that begins like a known file, or a long
 * string that looks like base64 or hex. Undefined for text.
 */
export function detectEncoded(text: string, declared: DeclaredContent = {}): EncodedBytes | undefined {
  if (text === "") return undefined;
  const stated = DECLARED[declared.encoding?.toLowerCase() ?? ""];
  const [head = "", urlType] = DATA_URL.exec(text) ?? [];
  const isStated = stated !== undefined || head !== "";
  if (!isStated && (text.length < SIGNED_MIN_CHARS || !/^[\w+/-]{32}/.test(text))) return undefined;
  const encoding = head !== "" ? "base64" : (stated ?? (isHex(text) ? "hex" : "base64"));
  const scanned = scanLetters(text, head.length, encoding);
  if (!scanned || (scanned.layout.line_chars === 0 && !isStated)) return undefined;
  const { bits } = ALPHABETS[encoding];
  const size_bytes = Math.floor((scanned.letters * bits) / 8);
  // Fewer than 8 bits are left over; a whole character's worth means that one is missing.
  if (scanned.letters * bits - size_bytes * 8 >= bits) return undefined;
  const sniffed = sniffType(text.slice(head.length, head.length + 64), encoding);
  if (!isStated && !sniffed && !looksEncoded(text, encoding)) return undefined;
  // Without an encoding the declared type is that of the text.
  const declaredType = stated === undefined ? undefined : declared.media_type;
  const linkedType = MEDIA_TYPE.test(urlType ?? "") ? urlType : undefined;
  const mime_type = declaredType ?? linkedType ?? sniffed ?? "application/octet-stream";
  return { encoding, mime_type, size_bytes, start_chars: head.length, ...scanned.layout };
}

/** Where to begin reading for the byte `start`, and how many of the decoded bytes to skip. */
export function locateByte(form: EncodedBytes, start: number): { start_chars: number; skip_bytes: number } {
  const { encoding, start_chars, line_chars, break_chars = 0 } = form;
  if (line_chars === 0) return { start_chars, skip_bytes: start };
  const { bits, group_bytes } = ALPHABETS[encoding];
  const groups = Math.floor(start / group_bytes);
  const letters = (groups * group_bytes * 8) / bits;
  const breaks = line_chars === undefined ? 0 : Math.floor(letters / line_chars) * break_chars;
  return { start_chars: start_chars + letters + breaks, skip_bytes: start - groups * group_bytes };
}

/** Creates a decoder that takes an encoded text piece by piece, and skips line breaks and padding. */
export function createDecoder({ encoding }: Pick<EncodedBytes, "encoding">): (text: string) => Uint8Array {
  const { bits } = ALPHABETS[encoding];
  let held = 0;
  let held_bits = 0;
  return (text) => {
    const bytes = new Uint8Array(Math.ceil((text.length * bits) / 8) + 1);
    let size = 0;
    for (let at = 0; at < text.length; at += 1) {
      const value = VALUES[encoding][text.charCodeAt(at)] ?? NONE;
      if (value === NONE) continue;
      held = ((held << bits) | value) & 0xffff;
      held_bits += bits;
      if (held_bits < 8) continue;
      held_bits -= 8;
      bytes[size] = (held >> held_bits) & 0xff;
      size += 1;
    }
    return bytes.subarray(0, size);
  };
}

const NONE = 255;

const VALUES: Readonly<Record<Encoding, Uint8Array>> = {
  base64: tabulate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", { "-": 62, _: 63 }),
  base32: tabulate("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", {}, true),
  hex: tabulate("0123456789ABCDEF", {}, true),
};

function tabulate(letters: string, others: Record<string, number>, anyCase = false): Uint8Array {
  const table = new Uint8Array(128).fill(NONE);
  for (const [value, letter] of [...letters].entries()) {
    table[letter.charCodeAt(0)] = value;
    if (anyCase) table[letter.toLowerCase().charCodeAt(0)] = value;
  }
  for (const [letter, value] of Object.entries(others)) table[letter.charCodeAt(0)] = value;
  return table;
}

interface Scanned {
  readonly letters: number;
  readonly layout: Pick<EncodedBytes, "line_chars" | "break_chars">;
}

/** Counts the encoded characters and finds how they are broken into lines; undefined if there are any other characters. */
function scanLetters(text: string, from: number, encoding: Encoding): Scanned | undefined {
  const values = VALUES[encoding];
  const firstBreak = text.indexOf("\n", from);
  const break_chars = text[firstBreak - 1] === "\r" ? 2 : 1;
  const line_chars = firstBreak < 0 ? text.length - from : firstBreak + 1 - break_chars - from;
  const isBroken = firstBreak >= 0;
  const end = text.trimEnd().length;
  let isRegular = !isBroken || (line_chars >= LINE_CHARS.least && line_chars <= LINE_CHARS.most);
  let letters = 0;
  let padding = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((values[code] ?? NONE) !== NONE) {
      if (padding > 0) return undefined;
      if (isBroken && (at - from) % (line_chars + break_chars) >= line_chars) isRegular = false;
      letters += 1;
    } else if (code === PAD) {
      padding += 1;
      if (padding > MOST_PADDING) return undefined;
    } else if (code !== CR && code !== LF && code !== SPACE && code !== TAB) return undefined;
    else if (!isBroken || code === SPACE || code === TAB) isRegular = false;
    else if (at < end && (at - from) % (line_chars + break_chars) < line_chars) isRegular = false;
  }
  if (!isRegular) return { letters, layout: { line_chars: 0 } };
  return { letters, layout: isBroken ? { line_chars, break_chars } : {} };
}

const [CR, LF, TAB, SPACE, PAD] = [13, 10, 9, 32, 61];
const MOST_PADDING = 6;

function sniffType(head: string, encoding: Encoding): string | undefined {
  const bytes = createDecoder({ encoding })(head);
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return SIGNATURES.find(([signature]) => signature.test(hex))?.[1];
}

function isHex(text: string): boolean {
  return /^[0-9a-fA-F\r\n]+$/.test(text);
}

/**
 * Whether the mix of characters looks like encoded bytes, and not like prose, names, paths, numbers or repeated
 * sequences.
 */
function looksEncoded(text: string, encoding: Encoding): boolean {
  if (text.length < UNDECLARED_MIN_CHARS) return false;
  const sample = text.slice(0, SAMPLE_CHARS).replace(/[\r\n=]/g, "");
  if (encoding === "hex")
    return new Set(sample).size >= 12 && !/[a-f]/.test(sample) !== !/[A-F]/.test(sample);
  if (/[+/]/.test(text) && /[-_]/.test(text)) return false;
  if (!/[a-z]/.test(sample) || !/[A-Z]/.test(sample) || !/[0-9]/.test(sample)) return false;
  if (new Set(sample).size < 20) return false;
  const signs = sample.replace(/[A-Za-z0-9]/g, "").length;
  return signs <= sample.length / 10 && countTurns(sample) >= sample.length / 2;
}

/** Counts how often the class of characters (upper case, lower case, digit, sign) changes from one to the next. */
function countTurns(sample: string): number {
  const classes = sample.replace(/[A-Z]/g, "A").replace(/[a-z]/g, "a").replace(/[0-9]/g, "0");
  let turns = 0;
  for (let at = 1; at < classes.length; at += 1) if (classes[at] !== classes[at - 1]) turns += 1;
  return turns;
}
