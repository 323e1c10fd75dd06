/** Puts record text between two lines that it cannot contain, so that it cannot forge them or the text after them (R27). */

import { countHiddenChars } from "@rungs/evidence";

/** Chooses a fence word that none of `texts` contains: the given random one, extended if a text contains it. */
export function chooseFence(fence: string, texts: readonly string[]): string {
  let chosen = fence;
  while (texts.some((text) => text.includes(chosen))) chosen += `-${fence}`;
  return chosen;
}

/** Puts `text`, unchanged, between fence lines. A line before them counts the characters that people would not see. */
export function fenceText(text: string, fence: string): string {
  const hidden = countHiddenChars(text);
  const notice = hidden === 0 ? "" : `hidden characters in the text: ${hidden}\n`;
  return `${notice}----- begin ${fence} -----\n${text}\n----- end ${fence} -----`;
}
