/** Text that the store accepts: NUL removed, lone surrogates replaced by U+FFFD. */
export function cleanText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}
