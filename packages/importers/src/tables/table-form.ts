/** Detects the form of a table from the first bytes of a file. */
import { parse } from "csv-parse/sync";
import { detectUtf16 } from "../extract/decode-text.ts";
import type { FileEntry } from "../files/files.ts";
import { toFieldName } from "./field-name.ts";

/** How a file holds rows. */
export type TableForm = CsvForm | { readonly kind: "jsonl" | "json" };

/** How a CSV file is written. */
export interface CsvForm {
  readonly kind: "csv";
  readonly charset: string;
  readonly delimiter: string;
  readonly newline: "\n" | "\r";
  readonly has_header: boolean;
  /** The field names of the columns. */
  readonly names: readonly string[];
}

const HEAD_BYTES = 256 * 1024;

/** The form of the rows; undefined for a file that is not a table. */
export async function findTableForm(entry: FileEntry): Promise<TableForm | undefined> {
  const head = await entry.head(HEAD_BYTES);
  const isWhole = head.length >= entry.size_bytes;
  const charset = detectCharset(head);
  const text = new TextDecoder(charset).decode(head);
  const first = text.trimStart()[0];
  if (first === "[") return /^\s*\[\s*(?:\{|$)/.test(text) ? { kind: "json" } : undefined;
  if (first === "{") return isJsonLines(text, isWhole) ? { kind: "jsonl" } : undefined;
  return findCsvForm(text, isWhole, charset);
}

/** The head may end within a character. */
function detectCharset(head: Uint8Array): string {
  const mark = detectUtf16(head);
  if (mark) return mark;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return "utf-8";
  } catch {
    return "windows-1252";
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

function findCsvForm(text: string, isWhole: boolean, charset: string): TableForm | undefined {
  const newline = text.includes("\n") ? "\n" : "\r";
  const lines = splitWholeLines(text, isWhole, newline);
  const found = DELIMITERS.map((delimiter) => ({
    delimiter,
    rows: parseHead(lines.join(newline), delimiter),
  }))
    .filter(({ rows }) => isTable(rows))
    .sort((a, b) => (b.rows[0]?.length ?? 0) - (a.rows[0]?.length ?? 0))[0];
  if (!found) return undefined;
  const [first = [], ...rest] = found.rows;
  const has_header = isHeader(first, rest);
  const names = first.map((name, at) => (has_header ? toFieldName(name.trim()) : `column_${at + 1}`));
  return { kind: "csv", charset, delimiter: found.delimiter, newline, has_header, names };
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

const NUMBER_OR_DATE = /^[-+(]?[\d.,:/\s€$£%T-]*\d[\d.,:/\s€$£%)TZ-]*$/;

/** A header: all names present and different, none a number or a date. */
function isHeader(first: readonly string[], rest: readonly string[][]): boolean {
  const names = first.map((name) => name.trim());
  if (new Set(names).size < names.length || rest.length === 0) return false;
  return names.every((name) => name !== "" && !NUMBER_OR_DATE.test(name));
}
