/** The rows of a table file, one at a time, with names and values as written. */
import { splitLines } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { splitJson } from "../json/split-json.ts";
import { readCsvRows } from "./csv-rows.ts";
import { toFieldName } from "./field-name.ts";
import { ROW_MAX_BYTES, type TableRow, tooLong } from "./row.ts";
import type { TableForm } from "./table-form.ts";

/** The rows of a file in order; an unreadable row counts too, so that numbers stay right. */
export function readRows(entry: FileEntry, form: TableForm): AsyncIterable<TableRow> {
  if (form.kind === "csv") return readCsvRows(entry, form);
  return form.kind === "json" ? readJson(entry) : readJsonLines(entry);
}

async function* readJson(entry: FileEntry): AsyncGenerator<TableRow> {
  const choose = (path: readonly unknown[]) => (path.length === 0 ? ("enter" as const) : ("take" as const));
  for await (const item of splitJson(entry.open(), { choose, max_bytes: ROW_MAX_BYTES })) {
    if (item.kind === "problem") yield { kind: "problem", reason: item.reason };
    else yield toRow(item.value);
  }
}

async function* readJsonLines(entry: FileEntry): AsyncGenerator<TableRow> {
  for await (const { bytes } of splitLines(entry.open(), { max_bytes: ROW_MAX_BYTES })) {
    if (bytes === undefined) yield tooLong;
    else {
      const text = new TextDecoder().decode(bytes).trim();
      if (text !== "") yield parseRow(text);
    }
  }
}

function parseRow(text: string): TableRow {
  try {
    return toRow(JSON.parse(text));
  } catch {
    return { kind: "problem", reason: "It is not valid JSON." };
  }
}

function toRow(value: unknown): TableRow {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { kind: "problem", reason: "It is not a JSON object." };
  }
  return {
    kind: "row",
    values: Object.fromEntries(Object.entries(value).map(([name, each]) => [toFieldName(name), each])),
  };
}
