/** How much of one text another has, by words: each occurrence counts, the order does not. */

/** A run of letters and digits, or one character of a script without spaces. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+/gu;

/** The words of a text, in compatibility form and lower case: `ﬁ` and `fi` are the same letters. */
export function listWords(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().match(WORD) ?? [];
}

/** The words common to all texts of a document, each with its minimum count. */
export function listAgreed([first = "", ...others]: readonly string[]): string[] {
  return others.reduce((agreed, text) => {
    const left = new Map<string, number>();
    for (const word of listWords(text)) left.set(word, (left.get(word) ?? 0) + 1);
    return agreed.filter((word) => {
      const count = left.get(word) ?? 0;
      left.set(word, count - 1);
      return count > 0;
    });
  }, listWords(first));
}

/** The words in both texts, as a share of each, and the first words missing from `found`. */
export interface WordOverlap {
  readonly recall: number;
  readonly precision: number;
  readonly lost: readonly string[];
}

const SHOWN_WORDS = 8;

/** Compares words with those that are expected. */
export function compareWords(expected: readonly string[], found: readonly string[]): WordOverlap {
  const left = new Map<string, number>();
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1);
  const lost: string[] = [];
  for (const word of expected) {
    const count = left.get(word) ?? 0;
    if (count === 0) lost.push(word);
    else left.set(word, count - 1);
  }
  const both = expected.length - lost.length;
  const share = (of: number) => (of === 0 ? 1 : both / of);
  return {
    recall: share(expected.length),
    precision: share(found.length),
    lost: lost.slice(0, SHOWN_WORDS),
  };
}
