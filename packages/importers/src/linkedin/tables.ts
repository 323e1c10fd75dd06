/** The tables of an export: CSV files, some below a few lines of notes. */
import type { RejectedItem } from "@rungs/contract";
import type { FileKind } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume } from "../files/resume.ts";
import type { ImportSource } from "../importer.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { asObject, asText } from "../json/values.ts";
import { readCsvRows } from "../tables/csv-rows.ts";

/** What the readers of an export share. */
export interface LinkedInContext {
  readonly source: ImportSource;
  /** The name of the account's owner, if the export has the profile. */
  readonly owner: string | undefined;
  /** The chats that already have a record. */
  readonly reported: Set<string>;
  /** The keys of rows without an id, because an export may repeat a row. */
  readonly keys: Set<string>;
}

/** The most lines of notes above a table. */
const NOTES_MAX_LINES = 8;

/** A kind of table, identified by its columns and, if others may have them too, by its name. */
export function defineTable(
  { noun, columns, name = /\.csv$/i }: { noun: string; columns: readonly string[]; name?: RegExp },
  read: FileKind<LinkedInContext>["read"],
): FileKind<LinkedInContext> {
  return {
    noun,
    path: name,
    isOwn: (head) => findHeader(head, columns) !== undefined,
    split: (file, done) => splitRows(file, { noun, columns, done }),
    read,
  };
}

interface Header {
  readonly skip_lines: number;
  readonly names: readonly string[];
}

/** The line with the names of the columns; all of the wanted ones must be there. */
function findHeader(head: string, wanted: readonly string[]): Header | undefined {
  const lines = head.replace(/^\ufeff/, "").split("\n", NOTES_MAX_LINES + 1);
  for (const [skip_lines, line] of lines.entries()) {
    const names = line
      .trimEnd()
      .split(",")
      .map((name) => name.replace(/^"(.*)"$/, "$1").trim());
    if (wanted.every((column) => names.includes(column))) return { skip_lines, names };
  }
  return undefined;
}

const HEAD_BYTES = 16 * 1024;

async function* splitRows(
  file: FileEntry,
  { noun, columns, done }: { noun: string; columns: readonly string[]; done: number },
): AsyncGenerator<JsonElement | RejectedItem> {
  const header = findHeader(new TextDecoder().decode(await file.head(HEAD_BYTES)), columns);
  if (!header) return;
  const form = { kind: "csv", charset: "utf-8", delimiter: ",", newline: "\n", has_header: true } as const;
  let number = 0;
  for await (const row of readCsvRows(file, { ...form, ...header })) {
    number += 1;
    if (number <= done) continue;
    const place = `${file.path}, ${noun} ${number}`;
    const checkpoint = formatResume(file.path, number);
    if (row.kind === "problem") yield { kind: "rejected", place, checkpoint, reason: row.reason };
    else yield { kind: "element", file, place, checkpoint, value: row.values };
  }
}

/** A row by the names of its columns; empty cells are absent. */
export function readCells({ value }: JsonElement): (column: string) => string | undefined {
  const row = asObject(value);
  return (column) => asText(asText(row[column])?.trim());
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * The forms of times in an export, all in UTC: `2024-01-05 10:20:30 UTC`, `2024/01/05 10:20:30 UTC`, `05 Jan 2024`, `Jan 2024`,
 * `2024`, `1/5/24, 10:20 AM`.
 */
export function readLinkedInTime(text: string | undefined): string | undefined {
  const written = text ?? "";
  const iso = /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?(?: UTC|Z)?$/.exec(written);
  if (iso) return toTime(iso[1], iso[2], iso[3], iso[4], iso[5], iso[6]);
  const american = /^(\d\d?)\/(\d\d?)\/(\d\d|\d{4}), (\d\d?):(\d\d) ([AP])M$/.exec(written);
  if (american) {
    const [, month, day, year = "", hour, minute, half] = american;
    const full = year.length === 2 ? `20${year}` : year;
    return toTime(full, month, day, String((Number(hour) % 12) + (half === "P" ? 12 : 0)), minute);
  }
  const [, day, name = "", year] =
    /^(?:(?:(\d\d?)[ -])?([A-Za-z]{3})[a-z]*[ -])?(\d{4})$/.exec(written) ?? [];
  const month = name === "" ? 1 : MONTHS.indexOf(name.toLowerCase()) + 1;
  return year === undefined || month === 0 ? undefined : toTime(year, String(month), day);
}

function toTime(
  year = "",
  month = "1",
  day = "1",
  hour = "0",
  minute = "0",
  second = "0",
): string | undefined {
  const parts = [
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  ] as const;
  const time = new Date(Date.UTC(parts[0], parts[1] - 1, ...parts.slice(2)));
  const isReal = time.getUTCMonth() === parts[1] - 1 && time.getUTCDate() === parts[2] && parts[0] >= 1900;
  return isReal ? time.toISOString() : undefined;
}
