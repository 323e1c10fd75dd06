/** Cells merged over several rows: each of these rows gets their text, as a person reads them. */
import { readColumn } from "./cell-text.ts";

/** The texts of merged cells while a sheet is read from the top. */
export interface Merges {
  /** Keeps the text of a cell if rows below belong to it. */
  remember(row: number, column: number, text: string): void;
  /** The texts that continue in a row, by column. */
  continueIn(row: number): Iterable<readonly [column: number, text: string]>;
}

/** More than any sheet made by people. */
const MERGES_MAX = 100_000;

const MERGE = /<(?:\w+:)?mergeCell\s[^>]{0,200}?ref="([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})"/g;
/** Longer than any such element. */
const OVERLAP_CHARS = 300;

/**
 * Finds the merged cells of a sheet (ECMA-376 part 1, §18.3.1.55). They come after the rows, so this reads the sheet
 * once beforehand.
 */
export async function findMerges(bytes: AsyncIterable<Uint8Array>): Promise<Merges> {
  const spans = new Map<string, number>();
  let rest = "";
  for await (const piece of bytes) {
    const text = rest + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString("latin1");
    rest = text.slice(-OVERLAP_CHARS);
    if (!text.includes("mergeCell")) continue;
    for (const [, column = "", first, last] of text.matchAll(MERGE)) {
      if (Number(last) > Number(first) && spans.size < MERGES_MAX)
        spans.set(`${first} ${readColumn(column)}`, Number(last));
    }
  }
  return createMerges((row, column) => spans.get(`${row} ${column}`));
}

/** Creates the memory of merged cells; `findEnd` gives the last row of a cell that is merged over several. */
export function createMerges(findEnd: (row: number, column: number) => number | undefined): Merges {
  const open = new Map<number, { readonly text: string; readonly end: number }>();
  return {
    remember(row, column, text) {
      const end = findEnd(row, column);
      if (end !== undefined && text !== "") open.set(column, { text, end });
    },
    *continueIn(row) {
      for (const [column, { text, end }] of open) {
        if (row > end) open.delete(column);
        else yield [column, text];
      }
    },
  };
}
