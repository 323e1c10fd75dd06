/** Infers a manifest for tables whose owner gave none. */
import { createHash } from "node:crypto";
import { type Manifest, PROTOCOL_VERSION, requireManifest } from "@rungs/contract";
import { formatFieldPath } from "@rungs/evidence";
import { createSource } from "../declare.ts";
import type { TableColumn } from "./survey.ts";
import { isTime } from "./value-kind.ts";

/** The stream of a table and its columns. */
export interface SurveyedTable {
  readonly stream: string;
  readonly columns: readonly TableColumn[];
}

/** Marks the field in a schema that holds the row number. */
export const ROW_NUMBER_MARK = "x_rungs_row_number";

/** Records the format of a column's cells in its schema. */
export const CELL_FORM_MARK = "x_rungs_cell_form";

/** Infers the manifest of tables. The version is a digest of the columns, so the same columns give the same manifest. */
export function inferManifest(tables: readonly SurveyedTable[]): Manifest {
  const streams = tables.map(inferStream);
  const declaration_version = createHash("sha256").update(JSON.stringify(streams)).digest("hex").slice(0, 16);
  return requireManifest({
    protocol_version: PROTOCOL_VERSION,
    source: createSource("table"),
    declaration_version,
    display: { name: "Table" },
    streams,
  });
}

/** Names that reveal the role of a column, the surest first. */
const KEY_NAMES = [/^_?id$/i, /^(?:uuid|guid|key)$/i, /(?:_|-| |^)id$/i, /[a-z]Id$/];
const TIME_NAMES = [
  /^(?:date|time|timestamp|datetime|when)$/i,
  /^(?:created|sent|posted)/i,
  /date|time|_at$/i,
  /./,
];
const TITLE_NAMES = [/^(?:title|subject|headline)$/i, /^(?:name|summary|label)$/i];
const BODY_NAMES = [/^(?:body|text|content|message)$/i, /^(?:description|notes?|comments?)$/i];

function inferStream({ stream, columns }: SurveyedTable) {
  const key = pick(columns, KEY_NAMES, ({ is_unique, kinds }) => is_unique && kinds.size === 1);
  const time = pick(columns, TIME_NAMES, ({ kinds }) => kinds.size > 0 && [...kinds].every(isTime));
  const primary_key = [key ?? pickRowField(columns.map(({ name }) => name))];
  return {
    name: stream,
    semantics: "mutable_state",
    primary_key,
    ...(time === undefined ? {} : { cursor_field: time, consent_time_field: time }),
    query: { search: { lexical_fields: columns.filter(isText).map(({ name }) => formatFieldPath([name])) } },
    schema: {
      type: "object",
      required: primary_key,
      properties: {
        ...(key === undefined ? Object.fromEntries(primary_key.map((name) => [name, ROW_NUMBER])) : {}),
        ...inferProperties(columns, time),
      },
    },
  };
}

const ROW_NUMBER = {
  type: "integer",
  description: "The number of the row in its file, from 1.",
  [ROW_NUMBER_MARK]: true,
};

/** The name of the row number field, for tables without a key column. */
function pickRowField(names: readonly string[]): string {
  const candidates = ["row", "row_number", "rungs_row_number"];
  return candidates.find((name) => !names.includes(name)) ?? "rungs_row";
}

function pick(
  columns: readonly TableColumn[],
  names: readonly RegExp[],
  fits: (column: TableColumn) => boolean,
): string | undefined {
  return names.flatMap((name) => columns.filter((column) => name.test(column.name) && fits(column)))[0]?.name;
}

function inferProperties(columns: readonly TableColumn[], time: string | undefined): Record<string, object> {
  const roles = new Map([
    [pick(columns, BODY_NAMES, isText), "body"],
    [pick(columns, TITLE_NAMES, isText), "primary-title"],
    [time, "event-time"],
  ]);
  return Object.fromEntries(
    columns.map((column) => {
      const role = roles.get(column.name);
      const form = column.form === undefined ? {} : { [CELL_FORM_MARK]: column.form };
      const named = role === undefined ? {} : { x_pdpp_role: role };
      return [column.name, { ...inferSchema(column), ...named, ...form }];
    }),
  );
}

/** The narrowest type of all values: number if some are integers, string if some are times, else every type seen. */
function inferSchema(column: TableColumn): object {
  const kinds = [...column.kinds].sort();
  const [only, ...others] = kinds;
  if (others.length === 0 && (only === "date-time" || only === "date"))
    return { type: "string", format: only };
  if (isText(column)) return { type: "string" };
  const types = new Set(kinds.map((kind) => (isTime(kind) ? "string" : kind)));
  if (types.has("number")) types.delete("integer");
  return { type: types.size === 1 ? [...types][0] : [...types] };
}

/** CSV cells are text, so a column of several kinds is text; JSON values have types. */
function isText({ kinds, is_csv }: TableColumn): boolean {
  const seen = [...kinds];
  if (seen.length === 0 || seen.every((kind) => kind === "string")) return true;
  if (seen.every((kind) => kind === "integer" || kind === "number") || seen.every(isTime)) return false;
  return seen.every((kind) => kind === "string" || isTime(kind)) || (is_csv && seen.length > 1);
}
