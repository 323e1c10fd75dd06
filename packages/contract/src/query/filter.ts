import { ApiError } from "../errors/errors.ts";
import type { FieldShape, StreamShape } from "../manifest/stream-shape.ts";
import { parseTimeMs } from "../record/time.ts";

/** A condition on one field; of a list or a person, on the values in it. */
export interface FieldFilter {
  readonly field: string;
  readonly op: FilterOp;
  readonly value: string | number | boolean;
}

/** How a field is compared with a value. */
export type FilterOp = "=" | "!=" | "<" | "<=" | ">" | ">=";

const FILTER = /^(?<field>[^=<>!]+)(?<op>!=|>=|<=|=|>|<)(?<value>.*)$/su;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses conditions such as `size>=100`, each value by its field's declared type. `shape` is the granted part of the
 * stream (`narrowShape`): a field outside it is refused with `field_not_granted`, whether or not it exists.
 */
export function parseFilters(filters: readonly string[], shape: StreamShape): FieldFilter[] {
  return filters.map((text) => {
    const parts = FILTER.exec(text)?.groups as { field: string; op: FilterOp; value: string } | undefined;
    if (!parts) return refuse("filter", "is not a condition such as field=value or field>=value");
    const field = requireFilterable(shape, parts.field);
    const value = parseValue(field, parts.value);
    if (value === undefined) {
      return refuse("filter", `has a value that ${field.name} cannot have (${describeType(field)})`);
    }
    if (typeof value === "boolean" && parts.op !== "=" && parts.op !== "!=") {
      return refuse("filter", `compares ${field.name}, which is only true or false, by order`);
    }
    if (field.listed && parts.op !== "=" && parts.op !== "!=") {
      return refuse("filter", `compares ${field.name}, which has several values, by order; use = or !=`);
    }
    return { field: field.name, op: parts.op, value };
  });
}

function requireFilterable(shape: StreamShape, name: string): FieldShape {
  return requireAble(shape, name, "filter", "filterable");
}

/** Requires a granted field that can be ordered and grouped by; the error names the parameter. */
export function requireComparable(shape: StreamShape, name: string, param: string): FieldShape {
  return requireAble(shape, name, param, "aggregatable");
}

function requireAble(
  shape: StreamShape,
  name: string,
  param: string,
  able: "filterable" | "aggregatable",
): FieldShape {
  const field = shape.fields.find((each) => each.name === name);
  if (field?.[able]) return field;
  const others = shape.fields.filter((each) => each[able]).map((each) => each.name);
  const these = others.join(", ") || "none";
  if (!field)
    throw new ApiError("field_not_granted", {
      param,
      next: `The granted fields that are ${able}: ${these}.`,
    });
  return refuse(param, `names ${name}, which is not ${able}; these are: ${these}`);
}

/** If several types are declared, the narrowest that fits wins. */
function parseValue(field: FieldShape, text: string): FieldFilter["value"] | undefined {
  const types = field.listed ?? field.types;
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (types.includes("number") && Number.isFinite(number)) return number;
  if (types.includes("integer") && Number.isSafeInteger(number)) return number;
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if (!types.includes("string")) return undefined;
  return isTime(field) && parseTimeMs(text) === undefined ? undefined : text;
}

function isTime({ format }: FieldShape): boolean {
  return format === "date-time" || format === "date";
}

function describeType(field: FieldShape): string {
  const types = (field.listed ?? field.types).filter((type) => type !== "null").join(" or ");
  return field.format === undefined ? types : `${types}, ${field.format}`;
}

function refuse(param: string, problem: string): never {
  throw new ApiError("invalid_request", { param, message: `${param} ${problem}.` });
}
