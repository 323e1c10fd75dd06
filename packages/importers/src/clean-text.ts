/** Text as the store takes it: without NUL, and with every half of a surrogate pair replaced by U+FFFD. */
export function cleanText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}
