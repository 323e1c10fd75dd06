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
