/** The rows of a table file, one at a time, with names and values as written. */
import { splitLines } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { parseExactJson } from "../json/parse-json.ts";
import { splitJson } from "../json/split-json.ts";
import { readCsvRows, toUtf8 } from "./csv-rows.ts";
import { toFieldName } from "./field-name.ts";
import { ROW_MAX_BYTES, type TableRow, tooLong } from "./row.ts";
import { readSheetRows } from "./sheet-form.ts";
import type { JsonForm, TableForm } from "./table-form.ts";

/** The rows of a file in order; an unreadable row counts too, so that numbers stay correct. */
export function readRows(entry: FileEntry, form: TableForm): AsyncIterable<TableRow> {
  if (form.kind === "sheet") return readSheetRows(form);
  if (form.kind === "csv") return readCsvRows(entry, form);
  return form.kind === "json" ? readJson(entry, form) : readJsonLines(entry, form);
}

/** The list is the whole document, or a member of it. */
async function* readJson(entry: FileEntry, { charset, member }: JsonForm): AsyncGenerator<TableRow> {
  const depth = member === undefined ? 0 : 1;
  let is_repeated = false;
  const options = {
    max_bytes: ROW_MAX_BYTES,
    choose(path: readonly unknown[]) {
      if (path.length > depth) return "take" as const;
      return path.length === 0 || path[0] === member ? ("enter" as const) : ("skip" as const);
    },
    inspect(text: string) {
      is_repeated = hasRepeatedNames(text);
    },
  };
  for await (const item of splitJson(toUtf8(entry, charset), options)) {
    if (item.kind === "problem") yield { kind: "problem", reason: item.reason };
    else yield toRow(item.value, is_repeated);
  }
}

async function* readJsonLines(entry: FileEntry, { charset }: JsonForm): AsyncGenerator<TableRow> {
  for await (const { bytes } of splitLines(toUtf8(entry, charset), { max_bytes: ROW_MAX_BYTES })) {
    if (bytes === undefined) yield tooLong;
    else {
      const text = new TextDecoder().decode(bytes).trim();
      if (text !== "") yield parseRow(text);
    }
  }
}

function parseRow(text: string): TableRow {
  const value = parseExactJson(text);
  if (value === undefined) return { kind: "problem", reason: "It is not valid JSON." };
  return toRow(value, hasRepeatedNames(text));
}

function toRow(value: unknown, is_repeated: boolean): TableRow {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { kind: "problem", reason: "It is not a JSON object." };
  }
  return {
    kind: "row",
    is_repeated,
    values: Object.fromEntries(Object.entries(value).map(([name, each]) => [toFieldName(name), each])),
  };
}

const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE] = [0x22, 0x5c, 0x3a, 0x7b, 0x7d];

/**
 * Whether an object in a valid JSON text, at any depth, has duplicate member names, of which a parser keeps the last.
 * Not a regular expression: a long string would exhaust its stack.
 */
function hasRepeatedNames(text: string): boolean {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OPEN) open.push(new Set());
    else if (code === CLOSE) open.pop();
    else if (code === QUOTE) {
      const end = findStringEnd(text, at);
      if (isName(text, end)) {
        const names = open.at(-1);
        const name = text.slice(at, end);
        if (names?.has(name)) return true;
        names?.add(name);
      }
      at = end - 1;
    }
  }
  return false;
}

/** The index after the closing quote. */
function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text.charAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}
