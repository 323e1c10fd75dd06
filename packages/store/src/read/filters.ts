import { ApiError } from "@rungs/contract";
import type { ScopedContext } from "../catalog/scope-sql.ts";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import { eachDocument } from "../catalog/selection.ts";
import type { Parameters } from "../database.ts";
import { encodeScalar, equalRange, isEncodedText } from "../rows/scalars.ts";
import { SCALAR_BYTES } from "../rows/sizes.ts";
import type { ScalarFilter } from "../store.ts";

/** A filter as a condition on `doc`. Only granted filterable fields; a record without a value matches no filter. */
export function fieldFilter(
  context: ScopedContext,
  parameters: Parameters,
  filter: ScalarFilter,
  doc: string,
): string {
  return `${doc} IN (SELECT s.doc FROM ${selectScalars(context, parameters, filter)})`;
}

/**
 * A filter as a condition on the sort key, which begins as the value of the cursor field does: a page of a time range reads only the
 * rows of the range. Undefined for other fields, for lists, and for texts, which sort keys may cut.
 */
export function sortKeyFilter(
  { partition }: ScopedContext,
  parameters: Parameters,
  filter: ScalarFilter,
  column: string,
): string | undefined {
  if (filter.field !== partition.shape.cursor_field || filter.op === "!=") return undefined;
  const { value, is_listed } = encodeFilter(partition, filter);
  return is_listed || isEncodedText(value)
    ? undefined
    : compareValues(column, parameters, value)[filter.op]();
}

/** The rows of `scalars`, or of `items` for a list, named `s`, that meet a filter. */
function selectScalars(
  { owner, partition }: ScopedContext,
  parameters: Parameters,
  filter: ScalarFilter,
): string {
  const { number, value, is_listed } = encodeFilter(partition, filter);
  const table = is_listed ? "items" : "scalars";
  const rowsOf = (alias: string) =>
    `${table} ${alias} WHERE ${alias}.owner = ${parameters.add(owner)} AND ${alias}.part = ${parameters.add(partition.id)} AND ${alias}.field = ${parameters.add(number)}`;
  // A list differs from a value when none of its values equals it, not when one of them differs.
  if (is_listed && filter.op === "!=")
    return `${rowsOf("s")} AND s.doc NOT IN (SELECT t.doc FROM ${rowsOf("t")} AND ${compareValues("t.value", parameters, value)["="]()})`;
  return `${rowsOf("s")} AND ${compareValues("s.value", parameters, value)[filter.op]()}`;
}

/** The field of a filter and its value as stored. */
function encodeFilter(
  partition: ScopedPartition,
  filter: ScalarFilter,
): { readonly number: number; readonly value: Uint8Array; readonly is_listed: boolean } {
  const number = requireNumber(partition, filter.field, "filterable");
  const shape = partition.shape.fields.find((one) => one.name === filter.field);
  const value = shape && encodeScalar(shape, filter.value);
  if (!value || value.length > SCALAR_BYTES + 1) {
    throw new ApiError("invalid_request", {
      param: "filter",
      message: `The value for ${filter.field} is longer than ${SCALAR_BYTES} bytes.`,
    });
  }
  return { number, value, is_listed: shape.listed !== undefined };
}

/** Conditions that compare a column of encoded values with one. */
function compareValues(
  column: string,
  parameters: Parameters,
  value: Uint8Array,
): Record<ScalarFilter["op"], () => string> {
  const { from, to } = equalRange(value);
  const low = () => parameters.add(from);
  const high = () => parameters.add(to);
  return {
    "=": () => `${column} >= ${low()} AND ${column} <= ${high()}`,
    "!=": () => `(${column} < ${low()} OR ${column} > ${high()})`,
    "<": () => `${column} < ${low()}`,
    "<=": () => `${column} <= ${high()}`,
    ">": () => `${column} > ${high()}`,
    ">=": () => `${column} >= ${low()}`,
  };
}

/** Visits every document that meets a filter. */
export function eachFiltered(
  context: ScopedContext,
  filter: ScalarFilter,
  visit: (doc: number) => void,
): Promise<void> {
  return eachDocument(context, (parameters) => selectScalars(context, parameters, filter), visit);
}

/** The number of a field that records may be sorted or aggregated by. All other names get the same error, existing or not. */
export function requireSortable(partition: ScopedPartition, name: string): number {
  return requireNumber(partition, name, "aggregatable");
}

/** The number of a field that records may be grouped by. A record is in the group of each value of its list. */
export function requireGroupable(
  partition: ScopedPartition,
  name: string,
): { readonly field: number; readonly is_listed: boolean } {
  const field = requireNumber(partition, name, "filterable");
  return { field, is_listed: partition.shape.fields.find((one) => one.name === name)?.listed !== undefined };
}

function requireNumber(
  partition: ScopedPartition,
  name: string,
  able: "filterable" | "aggregatable",
): number {
  const field = partition.shape.fields.find((one) => one.name === name);
  if (!field || !partition.granted.has(name)) throw new ApiError("field_not_granted", { param: name });
  if (!field[able])
    throw new ApiError("invalid_request", {
      param: name,
      message: `Records cannot be filtered, sorted or aggregated by ${name}.`,
    });
  return partition.fieldNames.indexOf(name);
}
