import type { FieldPath } from "@rungs/evidence";
import type { ManifestStream } from "../manifest/manifest-schema.ts";
import { describeStream, type FieldShape } from "../manifest/stream-shape.ts";
import { parseTimeMs } from "../record/time.ts";
import type { Condition, ConditionValue } from "./condition.ts";
import { refuseAt } from "./refuse.ts";

/** The fields of a stream that conditions can compare: those that it declares as filterable. */
export function listSelectable(stream: ManifestStream): FieldShape[] {
  return describeStream(stream).fields.filter(({ filterable }) => filterable);
}

/** Resolves the conditions of a request: each names a filterable field and has values of its type. */
export function resolveWhere(
  where: readonly Condition[] | undefined,
  stream: ManifestStream,
  at: FieldPath,
): Condition[] | undefined {
  if (!where) return undefined;
  const selectable = listSelectable(stream);
  return where.map((condition, index) => {
    const path = [...at, "where", index];
    const field = selectable.find(({ name }) => name === condition.field);
    if (!field) {
      const names = selectable.map(({ name }) => name).join(", ");
      return refuseAt(
        "invalid_request",
        [...path, "field"],
        `(${condition.field}) is not a field that ${stream.name} can be narrowed by${names === "" ? "" : `; these are: ${names}`}`,
      );
    }
    return fitTypes(condition, field, path);
  });
}

function fitTypes(condition: Condition, field: FieldShape, path: FieldPath): Condition {
  for (const { at, fault } of listFaults(condition, field))
    refuseAt("invalid_request", [...path, ...at], fault);
  return fitCondition(condition, field);
}

/**
 * A condition with its values converted to the types of a field: in a text field, a number or a boolean stands for its
 * text, and in a numeric field, a text for its number. If a field has both types, both are found.
 */
export function fitCondition(condition: Condition, field: FieldShape): Condition {
  const fit = (value: ConditionValue) => listForms(value, field);
  switch (condition.op) {
    case "equals": {
      const [value = condition.value, ...others] = fit(condition.value);
      return others.length === 0
        ? { ...condition, value }
        : { field: condition.field, op: "in", values: [value, ...others] };
    }
    case "in":
    case "not_in":
      return { ...condition, values: condition.values.flatMap(fit) };
    default:
      return condition;
  }
}

/** Why no value of this field type can meet a condition; undefined if one can. */
export function findConditionFault(condition: Condition, field: FieldShape): string | undefined {
  for (const { fault } of listFaults(condition, field)) return fault;
  return undefined;
}

function* listFaults(
  condition: Condition,
  field: FieldShape,
): Generator<{ readonly at: FieldPath; readonly fault: string }> {
  const checks: [at: FieldPath, fault: string | undefined][] =
    condition.op === "equals"
      ? [[["value"], findValueFault(condition.value, field)]]
      : condition.op === "in" || condition.op === "not_in"
        ? condition.values.map((value, at) => [["values", at], findValueFault(value, field)])
        : condition.op === "range"
          ? BOUNDS.map((name) => [[name], findBoundFault(condition[name], field)])
          : condition.op === "prefix"
            ? [[["value"], findPrefixFault(field)]]
            : [];
  for (const [at, fault] of checks) if (fault !== undefined) yield { at, fault };
}

const BOUNDS = ["gt", "gte", "lt", "lte"] as const;

function listTypes({ types, listed = [] }: FieldShape) {
  const all = [...types, ...listed];
  return {
    isText: all.includes("string"),
    isNumber: all.some((type) => type === "number" || type === "integer"),
    isBoolean: all.includes("boolean"),
  };
}

/** The value converted to a type of the field; unchanged if none fits. */
function listForms(value: ConditionValue, field: FieldShape): ConditionValue[] {
  const { isText, isNumber, isBoolean } = listTypes(field);
  const number = typeof value === "string" && /^-?\d/.test(value) ? Number(value) : value;
  const truth = value === "true" || value === "false" ? value === "true" : value;
  const forms = [
    ...(isText ? [String(value)] : []),
    ...(isNumber && typeof number === "number" && !Number.isNaN(number) ? [number] : []),
    ...(isBoolean && typeof truth === "boolean" ? [truth] : []),
  ];
  return forms.length === 0 ? [value] : forms;
}

function findValueFault(value: ConditionValue, field: FieldShape): string | undefined {
  const { isText, isNumber, isBoolean } = listTypes(field);
  if (isText || (!isNumber && !isBoolean)) return undefined;
  const [form] = listForms(value, field);
  if (typeof form === "number" ? isNumber : typeof form === "boolean" && isBoolean) return undefined;
  return `must be ${isNumber ? "a number" : "true or false"}, as ${field.name} is`;
}

/** Texts have no order that people would agree on. */
function findBoundFault(bound: string | number | undefined, field: FieldShape): string | undefined {
  if (bound === undefined) return undefined;
  const { isText, isNumber } = listTypes(field);
  if (typeof bound === "number" && (isNumber || !isText)) return undefined;
  if (isTime(field) && typeof bound === "string" && parseTimeMs(bound) !== undefined) return undefined;
  if (!isTime(field)) return isNumber ? "must be a number" : `cannot be compared: ${field.name} has no order`;
  return `must be a time such as 2026-01-31${isNumber ? " or a number" : ""}`;
}

function findPrefixFault(field: FieldShape): string | undefined {
  const { isText, isNumber, isBoolean } = listTypes(field);
  if (isTime(field)) return `cannot be the beginning of a time: compare ${field.name} with >= and <`;
  return isText || (!isNumber && !isBoolean) ? undefined : `cannot be a beginning: ${field.name} is not text`;
}

function isTime({ format }: FieldShape): boolean {
  return format === "date-time" || format === "date";
}
