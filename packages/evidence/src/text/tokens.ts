/**
 * The one tokenizer: index, query and proof all read text through it, so they cannot disagree.
 * Words are runs of letters, numbers and marks; scripts without spaces become overlapping bigrams, the last
 * character of a run also alone; an emoji is a token. Any change here is a new `TOKENIZER_VERSION`.
 */

/** Stored with every part of an index; an index of another version is rebuilt. */
export const TOKENIZER_VERSION = 2;

/** Longer words continue as further tokens, so that text of any length is searchable to its end. */
export const MAX_WORD_CHARS = 64;

/** 1 for ASCII letters and digits. */
const ASCII_WORD = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Receives a folded term and the UTF-16 units of the text that it stands for, in order of their starts. */
export type TokenSink = (term: string, startUnit: number, endUnit: number) => void;

/** Calls `emit` for every token of `text`. */
export function eachToken(text: string, emit: TokenSink): void {
  scanTokens(text, {
    plain: (start, end) => emit(text.slice(start, end).toLowerCase(), start, end),
    term: emit,
  });
}

/** Receives tokens: for plain ASCII words only the place, to be read in lower case; for all others the folded term. */
export interface TokenScan {
  plain(startUnit: number, endUnit: number): void;
  term: TokenSink;
}

/** Finds the tokens of `text` without copying the plain ones, for indexing. */
export function scanTokens(text: string, emit: TokenScan): void {
  const length = text.length;
  let unit = 0;
  while (unit < length) {
    const first = text.charCodeAt(unit);
    if (first < 0x80) {
      if (ASCII_WORD[first] === 1) unit = readWord(text, unit, emit);
      else unit += 1;
      continue;
    }
    const code = text.codePointAt(unit) as number;
    const charClass = classOfChar(code);
    if (charClass === CharClass.word) unit = readWord(text, unit, emit);
    else if (charClass === CharClass.dense) unit = readDense(text, unit, emit);
    else {
      const next = unit + (code > 0xffff ? 2 : 1);
      if (charClass === CharClass.emoji) emit.term(text.slice(unit, next), unit, next);
      unit = next;
    }
  }
}

/** Whether every token of `text` is a whole word of ASCII letters in its context. */
export function hasPlainWords(text: string): boolean {
  let chars = 0;
  for (let unit = 0; unit < text.length; unit += 1) {
    const code = text.charCodeAt(unit);
    if (code >= 0x80) return false;
    chars = ASCII_WORD[code] === 1 ? chars + 1 : 0;
    if (chars > MAX_WORD_CHARS) return false;
  }
  return true;
}

/**
 * The last place at or before `unit`, and after `start`, where a cut changes no token that starts after it. `start` is such a
 * place itself: the previous cut.
 */
export function findTokenBorder(text: string, start: number, unit: number): number {
  if (unit >= text.length || !isInWord(text, unit)) return Math.min(unit, text.length);
  let wordStart = unit;
  while (wordStart > start && isInWord(text, wordStart)) wordStart = previousUnit(text, wordStart);
  let piece = nextWordChar(text, wordStart);
  for (let next = piece; next <= unit; next = endOfPiece(text, piece)) piece = next;
  return piece > start && piece <= unit ? piece : unit;
}

function readWord(text: string, start: number, emit: TokenScan): number {
  let unit = start;
  let end = start;
  let pieceStart = start;
  let chars = 0;
  let plain = true;
  while (unit < text.length) {
    let code = text.charCodeAt(unit);
    let counts = true;
    if (code < 0x80) {
      if (ASCII_WORD[code] !== 1) break;
    } else {
      code = text.codePointAt(unit) as number;
      const charClass = classOfChar(code);
      if (!continuesWord(charClass)) break;
      counts = charClass === CharClass.word;
    }
    if (counts && chars === MAX_WORD_CHARS) {
      emitWord(text, pieceStart, end, plain, emit);
      pieceStart = unit;
      chars = 0;
      plain = true;
    }
    if (code >= 0x80) plain = false;
    unit += code > 0xffff ? 2 : 1;
    if (counts) {
      chars += 1;
      end = unit;
    }
  }
  emitWord(text, pieceStart, end, plain, emit);
  return unit;
}

function emitWord(text: string, start: number, end: number, plain: boolean, emit: TokenScan): void {
  if (plain) emit.plain(start, end);
  else {
    const term = foldTerm(text.slice(start, end));
    if (term !== "") emit.term(term, start, end);
  }
}

function readDense(text: string, start: number, emit: TokenScan): number {
  let from = start;
  let to = endOfDense(text, from);
  let head = foldTerm(text.slice(from, to));
  while (to < text.length && classOfChar(text.codePointAt(to) as number) === CharClass.dense) {
    const next = endOfDense(text, to);
    const tail = foldTerm(text.slice(to, next));
    emit.term(head + tail, from, next);
    from = to;
    to = next;
    head = tail;
  }
  emit.term(head, from, to);
  return to;
}

/** Where the dense character at `unit` ends, with the voicing marks that belong to it. */
function endOfDense(text: string, unit: number): number {
  let end = unit + ((text.codePointAt(unit) as number) > 0xffff ? 2 : 1);
  while (end < text.length && classOfChar(text.charCodeAt(end)) === CharClass.voicing) end += 1;
  return end;
}

const foldedTerms = new Map<string, string>();
const FOLDED_TERMS_KEPT = 20_000;

/** The form under which a word is found: case, width, ligatures and Latin-style accents do not matter. */
export function foldTerm(word: string): string {
  const known = foldedTerms.get(word);
  if (known !== undefined) return known;
  const folded = word
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("ς", "σ")
    .replace(/[^\p{L}\p{N}\p{M}]/gu, "")
    .normalize("NFC");
  if (foldedTerms.size >= FOLDED_TERMS_KEPT) foldedTerms.clear();
  foldedTerms.set(word, folded);
  return folded;
}

/** Whether a cut at `unit` would be inside a word. */
function isInWord(text: string, unit: number): boolean {
  return (
    continuesWord(classBefore(text, unit)) && continuesWord(classOfChar(text.codePointAt(unit) as number))
  );
}

function continuesWord(charClass: number): boolean {
  return charClass === CharClass.word || charClass === CharClass.ignorable || charClass === CharClass.voicing;
}

function classBefore(text: string, unit: number): number {
  return classOfChar(text.codePointAt(previousUnit(text, unit)) as number);
}

function previousUnit(text: string, unit: number): number {
  const trail = text.charCodeAt(unit - 1);
  return unit >= 2 && trail >= 0xdc00 && trail <= 0xdfff ? unit - 2 : unit - 1;
}

/** The first unit at or after `unit` that begins a word or a piece of one. */
function nextWordChar(text: string, unit: number): number {
  let at = unit;
  while (at < text.length && classOfChar(text.codePointAt(at) as number) !== CharClass.word) at += 1;
  return at;
}

/** Where the piece of a word that begins at `unit` ends and the next one begins. */
function endOfPiece(text: string, unit: number): number {
  let at = unit;
  for (let left = MAX_WORD_CHARS; left > 0 && at < text.length; left -= 1) {
    at = nextWordChar(text, at + ((text.codePointAt(at) as number) > 0xffff ? 2 : 1));
  }
  return at > unit ? at : unit + 1;
}

/** The tokenizer's classes of code points. */
export const CharClass = {
  /** Ends a word: spaces, punctuation, symbols. */
  separator: 1,
  /** Letters, numbers and marks. */
  word: 2,
  /** Scripts written without spaces: each code point starts a bigram. */
  dense: 3,
  /** One token by itself. */
  emoji: 4,
  /** A voicing mark that belongs to the kana before it. */
  voicing: 5,
  /** Invisible: neither part of a word's spelling nor its end. */
  ignorable: 6,
} as const;

const VOICING = /^[\u3099\u309a\uff9e\uff9f]$/;
const DENSE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const WORD = /^[\p{L}\p{N}\p{M}]$/u;
const SPELLED = /[\p{L}\p{N}\p{M}]/u;
const EMOJI = /^[\p{Extended_Pictographic}\p{Regional_Indicator}]$/u;
const IGNORABLE =
  /^(?:[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\ufe00-\ufe0f]|\p{Emoji_Modifier})$/u;

const table = new Uint8Array(0x20000);

/** Returns the class of a code point; cached. */
export function classOfChar(code: number): number {
  if (code >= table.length) return classify(code);
  const known = table[code] as number;
  if (known !== 0) return known;
  const found = classify(code);
  table[code] = found;
  return found;
}

function classify(code: number): number {
  const char = String.fromCodePoint(code);
  if (IGNORABLE.test(char)) return CharClass.ignorable;
  if (VOICING.test(char)) return CharClass.voicing;
  // Punctuation of these scripts (`။`, `។`) separates words like any other: a token of it would be empty.
  if (DENSE.test(char) && SPELLED.test(char.normalize("NFKD"))) return CharClass.dense;
  if (WORD.test(char)) return CharClass.word;
  return EMOJI.test(char) ? CharClass.emoji : CharClass.separator;
}
