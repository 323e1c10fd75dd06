/** A line of a text file. */
export interface ChatLine {
  /** From 1 on. */
  readonly number: number;
  readonly text: string;
  /** Set when the line was longer than the limit: its text is then left out. */
  readonly too_long: boolean;
}

/** The lines of a UTF-8 file; no more than `max_chars` of one is held. */
export async function* readChatLines(
  bytes: AsyncIterable<Uint8Array>,
  max_chars: number,
): AsyncGenerator<ChatLine> {
  const decoder = new TextDecoder();
  let number = 0;
  let rest = "";
  let too_long = false;
  const end = (text: string): ChatLine => {
    const line = { number: ++number, text: too_long ? "" : text.replace(/\r$/, ""), too_long };
    too_long = false;
    return line;
  };
  for await (const piece of bytes) {
    const [first = "", ...others] = decoder.decode(piece, { stream: true }).split("\n");
    rest += first;
    for (const next of others) {
      too_long ||= rest.length > max_chars;
      yield end(rest);
      rest = next;
    }
    too_long ||= rest.length > max_chars;
    if (too_long) rest = "";
  }
  // What is left of a character that was never finished.
  rest += decoder.decode();
  too_long ||= rest.length > max_chars;
  if (rest !== "" || too_long) yield end(rest);
}
