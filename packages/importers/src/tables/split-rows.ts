/** One row's bytes without its line end; undefined when it was too long to be held. */
export type RowBytes = Uint8Array | undefined;

/** How rows end. */
export interface RowForm {
  readonly max_bytes: number;
  readonly newline: "\n" | "\r";
  /** For CSV: between its fields; a field that begins with a quote goes on to the next one, over line ends too. */
  readonly delimiter?: string | undefined;
}

/** Cuts bytes into rows. A row longer than `max_bytes` is passed over without being held. */
export async function* splitRows(pieces: AsyncIterable<Uint8Array>, form: RowForm): AsyncGenerator<RowBytes> {
  const findEnd = createEndFinder(form);
  let held: Uint8Array[] = [];
  let size = 0;
  const keep = (part: Uint8Array): void => {
    size += part.length;
    if (size > form.max_bytes) held = [];
    else held.push(part);
  };
  const take = (): RowBytes => {
    const row = size > form.max_bytes ? undefined : Buffer.concat(held);
    held = [];
    size = 0;
    return row;
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let at = findEnd(piece, 0); at >= 0; at = findEnd(piece, start)) {
      keep(piece.subarray(start, at));
      yield take();
      start = at + 1;
    }
    // Copied: the piece's memory may be used again for the next one.
    keep(piece.slice(start));
  }
  if (size > 0) yield take();
}

type EndFinder = (piece: Uint8Array, from: number) => number;

const QUOTE = 0x22;

/** Finds where the row ends in a piece, or gives -1; remembers from piece to piece whether it is inside quotes. */
function createEndFinder({ newline, delimiter }: RowForm): EndFinder {
  const end = newline.charCodeAt(0);
  if (delimiter === undefined) return (piece, from) => piece.indexOf(end, from);
  const separator = delimiter.charCodeAt(0);
  let place: "start" | "plain" | "quoted" | "closed" = "start";
  return (piece, from) => {
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at];
      if (place === "quoted") {
        if (byte === QUOTE) place = "closed";
      } else if (byte === end) {
        place = "start";
        return at;
      } else if (byte === separator) place = "start";
      // After a field was closed another quote opens it again: two of them are one that is meant.
      else place = byte === QUOTE && place !== "plain" ? "quoted" : "plain";
    }
    return -1;
  };
}
