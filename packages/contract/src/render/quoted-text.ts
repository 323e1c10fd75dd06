/** A message's text in parts: what its author wrote, and what it quotes. Joined, the parts are the text. */

/** A part of a text. */
export interface TextPart {
  readonly text: string;
  readonly is_quoted: boolean;
}

const QUOTED = /^[ \t]{0,3}>/;
/** A line such as “On Monday Ana wrote:”, directly above quoted lines. */
const INTRODUCTION = /\S:[ \t]*$/;
/** Mail programs put this line above a message that they quote whole. */
const SEPARATOR = /^-{2,} ?(?:original message|forwarded message) ?-{2,}$/i;

/** Splits a text into parts that alternate between quoted and not quoted. */
export function splitQuotes(text: string): TextPart[] {
  const parts: TextPart[] = [];
  const lines = text.split(/(?<=\n)/);
  for (const [line, is_quoted] of classifyLines(lines)) {
    const last = parts.at(-1);
    if (last?.is_quoted === is_quoted) parts[parts.length - 1] = { text: last.text + line, is_quoted };
    else parts.push({ text: line, is_quoted });
    if (is_quoted) joinOverGap(parts);
  }
  return parts;
}

/** Two quotations with nothing but empty lines between them are one. */
function joinOverGap(parts: TextPart[]): void {
  const [before, gap, after] = parts.slice(-3);
  if (!before?.is_quoted || gap?.text.trim() !== "" || !after?.is_quoted) return;
  parts.splice(-3, 3, { text: before.text + gap.text + after.text, is_quoted: true });
}

/** Marks each line that belongs to a quotation. Works backwards, so that an introduction sees what it introduces. */
function classifyLines(lines: readonly string[]): [line: string, is_quoted: boolean][] {
  const whole = lines.findIndex((line) => SEPARATOR.test(line.trim()));
  const result: [string, boolean][] = [];
  let isBelowQuoted = false;
  for (const [at, line] of [...lines.entries()].toReversed()) {
    const isMarked = QUOTED.test(line) || (whole >= 0 && at >= whole);
    const is_quoted = isMarked || (isBelowQuoted && INTRODUCTION.test(line.trimEnd()));
    result.push([line, is_quoted]);
    isBelowQuoted = isMarked;
  }
  return result.reverse();
}
