const QUOTE = 0x22;

/**
 * Creates a finder of row ends in CSV for `splitLines`. A field that begins with a quote continues up to the closing
 * quote, over newlines too, so the finder remembers from chunk to chunk whether it is inside quotes.
 */
export function createRowEndFinder(
  newline: "\n" | "\r",
  delimiter: string,
): (chunk: Uint8Array, from: number) => number {
  const end = newline.charCodeAt(0);
  const separator = delimiter.charCodeAt(0);
  let state: "start" | "plain" | "quoted" | "closed" = "start";
  return (chunk, from) => {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (state === "quoted") {
        if (byte === QUOTE) state = "closed";
      } else if (byte === end) {
        state = "start";
        return at;
      } else if (byte === separator) state = "start";
      // A quote after a closed field opens it again: two quotes in a row are an escaped quote.
      else state = byte === QUOTE && state !== "plain" ? "quoted" : "plain";
    }
    return -1;
  };
}
