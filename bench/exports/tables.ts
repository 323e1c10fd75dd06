/** Tables as CSV, NDJSON and JSON. */
import { createTexts } from "./texts.ts";

/** Rows with a header. */
export function* csvLines(bytes: number): Generator<string> {
  yield "id,subject,body,sent_at\n";
  for (const { id, subject, body, sent_at } of createTexts(bytes)) {
    yield `${[id, subject, body, sent_at].map(quote).join(",")}\n`;
  }
}

function quote(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

/** An object on each line. */
export function* jsonLines(bytes: number): Generator<string> {
  for (const row of createTexts(bytes)) yield `${JSON.stringify(row)}\n`;
}

/** A list of objects, indented. */
export function* jsonPieces(bytes: number): Generator<string> {
  let before = "[";
  for (const row of createTexts(bytes)) {
    yield `${before}\n${JSON.stringify(row, undefined, 2)}`;
    before = ",";
  }
  yield "\n]\n";
}
