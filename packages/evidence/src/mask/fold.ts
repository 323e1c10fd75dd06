/**
 * Prepares a text for the detectors, so that neither invisible characters nor other forms of a character hide a value
 * from them.
 */

const NOT_ASCII = /[^\0-\x7f]/;
/** HTML entities: numeric, and the named ones that occur in or around values. */
const ENTITY =
  "&(?:#\\d{1,7}|#x[\\da-f]{1,6}|nbsp|ensp|emsp|thinsp|shy|zwj|zwnj|commat|period|plus|lpar|rpar|sol|colon|lowbar|hyphen|dash|ndash|mdash|quot|apos|lt|gt|amp);";
/** A soft line break of quoted-printable, at full width. */
const SOFT_BREAK = "(?<=[^\\r\\n]{70})=\\r?\\n";
const IS_WRITTEN_OTHERWISE = /[^\0-\x7f]|&[#a-z]|=\r?\n/i;
const RUN = new RegExp(`[^\\0-\\x7f]+|${ENTITY}|${SOFT_BREAK}`, "gi");
/** Zero-width characters, direction controls, soft hyphens, variation selectors, and the keycap. */
const HIDDEN = /(?:\p{Default_Ignorable_Code_Point}|\u20e3)+/gu;
/** Those, and letters with accents apart from them. */
const UNSEEN = /\P{M}\p{M}+|(?:\p{Default_Ignorable_Code_Point}|\u20e3)+/gu;
/** What Unicode's compatibility forms leave as it is. */
const OTHER = /[\p{Default_Ignorable_Code_Point}\p{Nd}\p{Pd}\u2212\u1680\u3002]|\u20e3/u;

/** A rewritten text, and where its units are in the original. */
export interface RewrittenText {
  readonly text: string;
  /** Maps the start of a value in the rewritten text to the original. */
  readonly findStart: (unit: number) => number;
  /** Maps its end, which is exclusive. */
  readonly findEnd: (unit: number) => number;
}

/**
 * Replaces compatibility forms, spaces, dashes and digits of all scripts with their plain forms, decodes HTML entities
 * and quoted-printable, and removes invisible characters.
 */
export function foldForDetection(text: string): RewrittenText {
  if (!IS_WRITTEN_OTHERWISE.test(text)) return unchanged(text);
  return rewrite(text, function* () {
    for (const { 0: run, index } of text.matchAll(RUN)) {
      if (run.startsWith("&") || run.startsWith("=")) {
        yield { at: index, length: run.length, written: run.startsWith("&") ? readEntity(run) : "" };
        continue;
      }
      if (run.normalize("NFKC") === run && !OTHER.test(run)) continue;
      let at = index;
      for (const char of run) {
        const folded = foldChar(char);
        if (folded !== char) yield { at, length: char.length, written: folded };
        at += char.length;
      }
    }
  });
}

/** Removes characters that cannot be seen, and composes letters with their accents. */
export function readAsSeen(text: string): RewrittenText {
  if (!NOT_ASCII.test(text)) return unchanged(text);
  return rewrite(text, function* () {
    for (const { 0: found, index } of text.matchAll(UNSEEN)) {
      const written = found.replace(HIDDEN, "").normalize("NFC");
      if (written !== found) yield { at: index, length: found.length, written };
    }
  });
}

function unchanged(text: string): RewrittenText {
  return { text, findStart: (unit) => unit, findEnd: (unit) => unit };
}

const NAMED: Readonly<Record<string, string>> = {
  shy: "",
  zwj: "",
  zwnj: "",
  commat: "@",
  period: ".",
  plus: "+",
  lpar: "(",
  rpar: ")",
  sol: "/",
  colon: ":",
  lowbar: "_",
  hyphen: "-",
  dash: "-",
  ndash: "-",
  mdash: "-",
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  amp: "&",
};

function readEntity(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  if (!name.startsWith("#")) return NAMED[name] ?? " ";
  const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? foldChar(String.fromCodePoint(code)) : entity;
}

const folded = new Map<string, string>();

function foldChar(char: string): string {
  const known = folded.get(char) ?? computeFold(char);
  folded.set(char, known);
  return known;
}

function computeFold(char: string): string {
  if (/\p{Default_Ignorable_Code_Point}|\u20e3/u.test(char)) return "";
  const plain = char.normalize("NFKC");
  if (/^[\p{Pd}\u2212]$/u.test(plain)) return "-";
  if (/^\p{Nd}$/u.test(plain)) return toAsciiDigit(plain);
  if (plain === "\u3002") return ".";
  return plain === "\u1680" ? " " : plain;
}

/** Unicode has the digits of a script in rows of ten. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

interface Replacement {
  readonly at: number;
  readonly length: number;
  readonly written: string;
}

/** Records only replacements that change the length, four numbers each: texts may be long. */
function rewrite(text: string, listReplacements: () => Iterable<Replacement>): RewrittenText {
  const marks: number[] = [];
  const pieces: string[] = [];
  let from = 0;
  let written_units = 0;
  for (const { at, length, written } of listReplacements()) {
    pieces.push(text.slice(from, at), written);
    written_units += at - from;
    if (written.length !== length) marks.push(written_units, written.length, at, length);
    written_units += written.length;
    from = at + length;
  }
  if (pieces.length === 0) return unchanged(text);
  pieces.push(text.slice(from));
  return {
    text: pieces.join(""),
    findStart: (unit) => locate(marks, unit).start,
    findEnd: (unit) => locate(marks, unit - 1).end,
  };
}

/** The units of the original that a unit of the rewritten text stands for. */
function locate(marks: readonly number[], unit: number): { start: number; end: number } {
  let low = 0;
  for (let high = marks.length / 4; low < high; ) {
    const middle = (low + high) >> 1;
    if ((marks[middle * 4] ?? 0) <= unit) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return { start: unit, end: unit + 1 };
  const [at = 0, length = 0, from = 0, units = 0] = marks.slice(low * 4 - 4, low * 4);
  if (unit < at + length) return { start: from, end: from + units };
  const start = from + units + (unit - at - length);
  return { start, end: start + 1 };
}
