/** The owner's own words and expressions. */
import { RE2JS } from "re2js";
import { foldForDetection } from "./fold.ts";
import { type Detector, type FoundValue, findPattern } from "./found-value.ts";

/** Scripts without spaces between words: their words are found inside other text. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}";
const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
const SYNTAX = /[\\^$.*+?()[\]{}|/-]/g;

/** Finds whole words and phrases in a folded text, whatever their case, composition of accents and width of blanks. */
export function createWordDetector(words: readonly string[]): Detector {
  if (words.length === 0) return () => [];
  const plain = words.map((word) => foldForDetection(word).text);
  const spellings = plain.flatMap((word) => [word, word.replaceAll("ß", "ss")]);
  const forms = new Set(spellings.flatMap((word) => [word.normalize("NFC"), word.normalize("NFD")]));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(writeWord).join("|"), "giu");
  return (text) => findPattern(text, { pattern }, normaliseWord);
}

function writeWord(word: string): string {
  const chars = [...word.trim()];
  const body = word
    .trim()
    .split(/\s+/)
    .map((part) => part.replace(SYNTAX, "\\$&"))
    .join("\\s{1,8}");
  const before = isSpaced(chars[0]) ? "(?<![\\p{L}\\p{N}\\p{M}])" : "";
  const after = isSpaced(chars.at(-1)) ? "(?![\\p{L}\\p{N}\\p{M}])" : "";
  return `${before}${body}${after}`;
}

function isSpaced(char = ""): boolean {
  return /[\p{L}\p{N}\p{M}]/u.test(char) && !IS_UNSPACED.test(char);
}

function normaliseWord(found: string): string {
  return found.normalize("NFC").toLowerCase().replaceAll("ß", "ss").replace(/\s+/g, " ");
}

/** Finds the matches of one expression of the owner, in linear time whatever the expression. */
export function createExpressionDetector(source: string): Detector {
  const expression = RE2JS.compile(source.normalize("NFC"));
  return (text) => {
    const found: FoundValue[] = [];
    const matcher = expression.matcher(text);
    while (matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (end > start) found.push({ start, end, value: text.slice(start, end) });
    }
    return found;
  };
}

/** The most steps of an expression: matching a text runs all of them and blocks the server meanwhile. */
const STEPS_MAX = 500;

/** What is wrong with an expression; undefined when it can be used. */
export function findExpressionFault(source: string): string | undefined {
  // Check before compiling: that alone could take seconds.
  if (countSteps(source) > STEPS_MAX)
    return `is longer than ${STEPS_MAX} characters with its repetitions written out`;
  try {
    return RE2JS.compile(source).matcher("").matches() ? "matches the empty text" : undefined;
  } catch (error) {
    return error instanceof Error
      ? `is not an RE2 expression (${error.message})`
      : "is not an RE2 expression";
  }
}

/**
 * The parts of an expression: repetitions with captured bounds, operators, groups, and characters or character classes.
 */
const PARTS =
  /\{(\d+)(?:,(\d*))?\}|[*+?]|\(\?[a-zA-Z-]+\)|\((?:\?P?<\w+>|\?[a-zA-Z-]*:)?|\)|\\Q[\s\S]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|[\s\S]/gu;

/** The length of an expression with each repetition written out: at least a quarter of its compiled steps. */
export function countSteps(source: string): number {
  const open = [0];
  let last = 0;
  const add = (steps: number) => {
    open[open.length - 1]! += steps;
  };
  for (const [part, least, most] of source.matchAll(PARTS)) {
    if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? 0));
      add(last * (times - 1));
      last *= times;
    } else if (part === ")") {
      last = 1 + (open.pop() ?? 0);
      if (open.length === 0) open.push(0);
      add(last);
    } else if (part.startsWith("(")) {
      if (!part.endsWith(")")) open.push(0);
    } else if (/^[*+?]$/.test(part)) {
      add(1);
    } else {
      last = part.startsWith("\\Q") ? part.length : 1;
      add(last);
    }
  }
  return open.reduce((sum, steps) => sum + steps, 0);
}
