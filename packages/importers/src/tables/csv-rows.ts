import { type ByteLine, splitLines } from "@rungs/contract";
import { parse } from "csv-parse/sync";
import type { FileEntry } from "../files/files.ts";
import { ROW_MAX_BYTES, type TableRow, tooLong } from "./row.ts";
import type { CsvForm } from "./table-form.ts";

/** How many bytes of rows to parse together. */
const BLOCK_BYTES = 256 * 1024;

/** The rows of a CSV file after its header, without empty lines. */
export async function* readCsvRows(entry: FileEntry, form: CsvForm): AsyncGenerator<TableRow> {
  const findEnd = createRowEndFinder(form.newline, form.delimiter);
  const rows = splitLines(dropLines(toUtf8(entry, form.charset), form), {
    max_bytes: ROW_MAX_BYTES,
    findEnd,
  });
  let isHeader = form.has_header;
  for await (const block of gatherBlocks(rows)) {
    for (const row of block === "too long" ? [tooLong] : parseBlock(block, form)) {
      if (isHeader) isHeader = false;
      else yield row;
    }
  }
}

/** Drops the lines before the table. */
async function* dropLines(
  chunks: AsyncIterable<Uint8Array>,
  { skip_lines, newline }: CsvForm,
): AsyncGenerator<Uint8Array> {
  let left = skip_lines;
  for await (const chunk of chunks) {
    let from = 0;
    while (left > 0) {
      const end = chunk.indexOf(newline.charCodeAt(0), from);
      if (end < 0) break;
      from = end + 1;
      left -= 1;
    }
    if (left === 0) yield from === 0 ? chunk : chunk.subarray(from);
  }
}

/** The bytes of a file as UTF-8: passes UTF-8 through and transcodes other encodings. */
export async function* toUtf8(entry: FileEntry, charset: string): AsyncGenerator<Uint8Array> {
  if (charset === "utf-8") return yield* entry.open();
  const decoder = new TextDecoder(charset);
  for await (const chunk of entry.open()) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Groups non-empty rows into blocks. */
async function* gatherBlocks(rows: AsyncIterable<ByteLine>): AsyncGenerator<Uint8Array[] | "too long"> {
  let block: Uint8Array[] = [];
  let size = 0;
  for await (const { bytes } of rows) {
    const row = bytes && withoutReturn(bytes);
    if (row && row.length > 0) block.push(row);
    size += row?.length ?? 0;
    if (row && size < BLOCK_BYTES) continue;
    if (block.length > 0) yield block;
    if (!row) yield "too long";
    block = [];
    size = 0;
  }
  if (block.length > 0) yield block;
}

function withoutReturn(row: Uint8Array): Uint8Array {
  return row.at(-1) === 0x0d ? row.subarray(0, -1) : row;
}

/** Parses a block at once. If the number of rows does not match, parses each alone, so that a broken row affects only itself. */
function parseBlock(block: readonly Uint8Array[], form: CsvForm): TableRow[] {
  const end = Buffer.from(form.newline);
  const rows = parseCsv(Buffer.concat(block.flatMap((row) => [row, end])), form);
  if (rows?.length === block.length) return rows.map((fields) => nameFields(fields, form.names));
  return block.map((bytes) => {
    const alone = parseCsv(Buffer.from(bytes), form);
    if (alone?.length === 1 && alone[0]) return nameFields(alone[0], form.names);
    return { kind: "problem", reason: "It is not valid CSV." };
  });
}

function parseCsv(bytes: Buffer, { delimiter, newline }: CsvForm): string[][] | undefined {
  try {
    return parse(bytes, {
      delimiter,
      record_delimiter: newline,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
    });
  } catch {
    return undefined;
  }
}

function nameFields(fields: readonly string[], names: readonly string[]): TableRow {
  if (fields.length > names.length) {
    const reason = `It has ${fields.length} fields, and the table has ${names.length} columns.`;
    return { kind: "problem", reason };
  }
  return { kind: "row", values: Object.fromEntries(fields.map((field, at) => [names[at] as string, field])) };
}

const QUOTE = 0x22;

/**
 * Creates a finder of CSV row ends for `splitLines`. A quoted field continues to the closing quote, across newlines, so
 * the finder remembers between chunks whether it is inside quotes.
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
      // A quote right after a closing quote reopens the field: two quotes in a row are an escaped quote.
      else state = byte === QUOTE && state !== "plain" ? "quoted" : "plain";
    }
    return -1;
  };
}
