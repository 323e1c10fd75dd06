/**
 * Characters that people do not see and models read: controls of text direction, zero-width characters, soft hyphens and tag
 * characters. A joiner between emoji makes one picture of them and does not count.
 */
const HIDDEN =
  /[\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d/gu;

/** Counts the hidden characters of a text. */
export function countHiddenChars(text: string): number {
  return text.match(HIDDEN)?.length ?? 0;
}
