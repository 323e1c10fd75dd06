/** Detects the form of a table from the first bytes of a file. */
import { parse } from "csv-parse/sync";
import { detectUtf16 } from "../extract/decode-text.ts";
import { guessCharset } from "../extract/guess-charset.ts";
import type { FileEntry } from "../files/files.ts";
import { isHeader, nameColumns } from "./header.ts";
import type { SheetForm } from "./sheet-form.ts";

/** The layout of the rows in a file. */
export type TableForm = CsvForm | JsonForm | SheetForm;

/** The layout of a JSON file. */
export interface JsonForm {
  readonly kind: "jsonl" | "json";
  readonly charset: string;
  /** The member that holds the list, if the file is an object. */
  readonly member?: string | undefined;
  /** Whether the whole file was examined and is not valid JSON. */
  readonly is_broken?: boolean | undefined;
}

/** The layout of a CSV file. */
export interface CsvForm {
  readonly kind: "csv";
  readonly charset: string;
  readonly delimiter: string;
  readonly newline: "\n" | "\r";
  readonly has_header: boolean;
  /** How many lines come before the table: a title, the name of an account, `sep=;`. */
  readonly skip_lines: number;
  /** The field names of the columns. */
  readonly names: readonly string[];
}

const HEAD_BYTES = 256 * 1024;

/** The form of the rows of a text file; undefined for a file that is not a table. */
export async function findTableForm(entry: FileEntry): Promise<CsvForm | JsonForm | undefined> {
  const head = await entry.head(HEAD_BYTES);
  const isWhole = head.length >= entry.size_bytes;
  const charset = detectCharset(head);
  if (head.includes(0) && !charset.startsWith("utf-16")) return undefined;
  const text = new TextDecoder(charset).decode(head);
  const first = text.trimStart()[0];
  const is_broken = (first === "[" || first === "{") && isWhole && parseJson(text) === undefined;
  if (first === "[") return /^\s*\[\s*(?:\{|$)/.test(text) ? { kind: "json", charset, is_broken } : undefined;
  if (first === "{") {
    const member = WRAPPED.exec(text)?.[1];
    const isOneLine = isWhole && !text.trim().includes("\n");
    if (!(member !== undefined && isOneLine) && isJsonLines(text, isWhole)) return { kind: "jsonl", charset };
    return member === undefined ? undefined : { kind: "json", charset, member, is_broken };
  }
  // Searching further down is expensive, and prose may contain a table: only if the name promises one.
  const preamble_max = TABLE_NAME.test(entry.path) ? PREAMBLE_MAX_LINES : 0;
  return findCsvForm(text, isWhole, { charset, preamble_max });
}

/** An object whose first list is one of objects, after members with plain values: `{"count":2,"items":[{…}]}`. */
const WRAPPED =
  /^\s*\{(?:\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-+\d.eE]+|true|false|null)\s*,)*\s*"([^"\\]+)"\s*:\s*\[\s*\{/;

/** The head may end inside a character. */
function detectCharset(head: Uint8Array): string {
  const mark = detectUtf16(head);
  if (mark) return mark;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return "utf-8";
  } catch {
    return guessCharset(head) ?? "windows-1252";
  }
}

/** The first line must be an object, and so must most others: some may be broken. */
function isJsonLines(text: string, isWhole: boolean): boolean {
  const lines = splitWholeLines(text, isWhole, "\n").filter((line) => line.trim() !== "");
  const [first, ...others] = lines.map((line) => isObject(parseJson(line)));
  if (first === undefined) return /^\s*\{\s*"[^\n]*$/.test(text);
  return first && others.filter((is) => is).length >= others.length / 2;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const DELIMITERS = [",", ";", "\t", "|"];
const ROWS_LOOKED_AT = 200;

/** The names of table files. */
export const TABLE_NAME = /\.(?:csv|tsv|tab|psv)$/i;
/** How many lines above a table to examine. */
const PREAMBLE_MAX_LINES = 20;
const SEPARATOR_LINE = /^\ufeff?sep=(.)\r?$/i;

function findCsvForm(
  text: string,
  isWhole: boolean,
  { charset, preamble_max }: { readonly charset: string; readonly preamble_max: number },
): CsvForm | undefined {
  const newline = text.includes("\n") ? "\n" : "\r";
  const lines = splitWholeLines(text, isWhole, newline);
  const separator = SEPARATOR_LINE.exec(lines[0] ?? "")?.[1];
  const delimiters = separator === undefined ? DELIMITERS : [separator];
  const first = separator === undefined ? 0 : 1;
  for (let skip_lines = first; skip_lines <= first + preamble_max; skip_lines += 1) {
    const rest = lines.slice(skip_lines);
    if (rest.length < 2) break;
    const found = findDelimiter(rest.join(newline), delimiters, isTable);
    // A table after other lines must be unmistakable: prose also has lines with equally many commas.
    const isPlain = skip_lines === first;
    if (!found || (!isPlain && (found.rows.length < MIN_LATE_ROWS || !isHeader(found.rows)))) continue;
    return { kind: "csv", charset, newline, skip_lines, ...describe(found) };
  }
  const untidy =
    preamble_max > 0 && findDelimiter(lines.slice(first).join(newline), delimiters, isUntidyTable);
  return untidy ? { kind: "csv", charset, newline, skip_lines: first, ...describe(untidy) } : undefined;
}

const MIN_LATE_ROWS = 3;

interface FoundRows {
  readonly delimiter: string;
  readonly rows: readonly string[][];
}

function findDelimiter(
  text: string,
  delimiters: readonly string[],
  accepts: (rows: readonly string[][]) => boolean,
): FoundRows | undefined {
  return delimiters
    .map((delimiter) => ({ delimiter, rows: parseHead(text, delimiter) }))
    .filter(({ rows }) => accepts(rows))
    .sort((a, b) => (b.rows[0]?.length ?? 0) - (a.rows[0]?.length ?? 0))[0];
}

function describe({ delimiter, rows }: FoundRows): Pick<CsvForm, "delimiter" | "has_header" | "names"> {
  // Assume no header for a list of words: its first word would be lost.
  const isList = rows[0]?.length === 1 && !rows.slice(1).some(([cell = ""]) => /\d/.test(cell));
  const has_header = !isList && isHeader(rows);
  return { delimiter, has_header, names: nameColumns(rows[0] ?? [], has_header) };
}

function splitWholeLines(text: string, isWhole: boolean, newline: string): string[] {
  const lines = text.split(newline);
  return isWhole ? lines : lines.slice(0, -1);
}

function parseHead(text: string, delimiter: string): string[][] {
  try {
    return parse(text, {
      delimiter,
      bom: true,
      skip_empty_lines: true,
      relax_column_count: true,
      relax_quotes: true,
      to: ROWS_LOOKED_AT,
    });
  } catch {
    return [];
  }
}

/** At least two rows of at least two fields, and nine in ten as long as the first: this excludes prose with commas. */
function isTable(rows: readonly string[][]): boolean {
  const [first = []] = rows;
  const odd = rows.filter(({ length }) => length !== first.length);
  return rows.length >= 2 && first.length >= 2 && odd.length <= rows.length / 10;
}

/** Accepts less if the name promises a table: a single column, or rows of which half are as long as the first. */
function isUntidyTable(rows: readonly string[][]): boolean {
  const [first = []] = rows;
  const odd = rows.filter(({ length }) => length !== first.length);
  return rows.length >= 2 && (first.length === 1 ? odd.length === 0 : odd.length <= rows.length / 2);
}
