/** Puts record text between two lines that it cannot contain, so that it cannot forge them or the text after them (R27). */

/** Chooses a fence word that none of `texts` contains: the given random one, extended if a text contains it. */
export function chooseFence(fence: string, texts: readonly string[]): string {
  let chosen = fence;
  while (texts.some((text) => text.includes(chosen))) chosen += `-${fence}`;
  return chosen;
}

/** Puts `text`, unchanged, between fence lines. */
export function fenceText(text: string, fence: string): string {
  return `----- begin ${fence} -----\n${text}\n----- end ${fence} -----`;
}
