import {
  type ImportedRecord,
  isTooDeep,
  type Manifest,
  type ManifestStream,
  RECORD_MAX_DEPTH,
  type RejectedItem,
} from "@rungs/contract";
import { cleanText } from "../clean-text.ts";
import { CELL_FORM_MARK, ROW_NUMBER_MARK } from "./infer-manifest.ts";
import type { TableRow } from "./row.ts";
import { type CellForm, readCell } from "./value-kind.ts";

const TOO_DEEP = `It nests deeper than ${RECORD_MAX_DEPTH} levels.`;

/** A row as an item, without its place. */
export type RowItem =
  | Pick<ImportedRecord, "kind" | "stream" | "key" | "data">
  | Pick<RejectedItem, "kind" | "reason">;

/** Creates a function that turns rows into records by the declaration of the stream: cell types, key, row number. */
export function createRowReader(
  stream: string,
  manifest: Manifest,
  is_csv: boolean,
): (row: TableRow, number: number) => RowItem {
  const { primary_key, types, forms, numbered } = readDeclaration(stream, manifest);
  const read = (name: string, value: unknown): unknown =>
    is_csv ? readCell(cleanText(String(value)), types.get(name) ?? [], forms.get(name)) : cleanValue(value);

  return (row, number) => {
    if (row.kind === "problem") return { kind: "rejected", reason: row.reason };
    if (isTooDeep(row.values)) return { kind: "rejected", reason: TOO_DEEP };
    const filled = Object.entries(row.values).filter(([, value]) => value !== null && value !== "");
    const data = Object.fromEntries(filled.map(([name, value]) => [name, read(name, value)]));
    for (const name of numbered) data[name] = number;
    const missing = primary_key.find((name) => data[name] === undefined);
    if (missing !== undefined) return { kind: "rejected", reason: `It has no value for its key ${missing}.` };
    const key = primary_key.map((name) => formatKeyValue(data[name]));
    return { kind: "record", stream, key: key.length === 1 ? key.join("") : key, data };
  };
}

function readDeclaration(stream: string, { streams }: Manifest) {
  const { primary_key = [], schema = true }: Partial<ManifestStream> =
    streams.find(({ name }) => name === stream) ?? {};
  const properties = Object.entries(typeof schema === "object" ? (schema.properties ?? {}) : {});
  const shapes = properties.flatMap(([name, shape]) => (typeof shape === "object" ? [{ name, shape }] : []));
  return {
    primary_key,
    types: new Map(shapes.map(({ name, shape }) => [name, listTypes(shape)])),
    forms: new Map(shapes.map(({ name, shape }) => [name, shape[CELL_FORM_MARK] as CellForm | undefined])),
    numbered: shapes.filter(({ shape }) => shape[ROW_NUMBER_MARK] === true).map(({ name }) => name),
  };
}

function listTypes({ type }: { readonly type?: string | readonly string[] | undefined }): readonly string[] {
  return typeof type === "string" ? [type] : (type ?? []);
}

function formatKeyValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [cleanText(name), cleanValue(each)]));
}
