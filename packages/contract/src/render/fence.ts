/** Record text between two lines that it cannot contain, so that it can forge neither them nor what follows (R27). */

/** A fence word that none of `texts` contains: the given random one, longer in the case that it was guessed. */
export function chooseFence(fence: string, texts: readonly string[]): string {
  let chosen = fence;
  while (texts.some((text) => text.includes(chosen))) chosen += `-${fence}`;
  return chosen;
}

/** Puts `text`, untouched, between its fence lines. */
export function fenceText(text: string, fence: string): string {
  return `----- begin ${fence} -----\n${text}\n----- end ${fence} -----`;
}
