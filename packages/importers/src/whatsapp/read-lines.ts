import { splitLines } from "@rungs/contract";

/** A line of a chat. */
export interface ChatLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Whether the line is longer than the limit; its text is then empty. */
  readonly too_long: boolean;
}

/** A UTF-16 unit takes at most three bytes of UTF-8. */
const BYTES_PER_CHAR = 3;

/** The lines of a UTF-8 file; holds at most `max_chars` of one. */
export async function* readChatLines(
  chunks: AsyncIterable<Uint8Array>,
  max_chars: number,
): AsyncGenerator<ChatLine> {
  const decoder = new TextDecoder();
  for await (const { number, bytes } of splitLines(chunks, { max_bytes: max_chars * BYTES_PER_CHAR })) {
    const text = bytes && decoder.decode(bytes);
    if (text === undefined || text.length > max_chars) yield { number, text: "", too_long: true };
    else yield { number, text: text.replace(/\r$/, ""), too_long: false };
  }
}
