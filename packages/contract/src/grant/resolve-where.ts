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
  const fit = (value: ConditionValue) => fitType(value, field);
  switch (condition.op) {
    case "equals":
      return { ...condition, value: fit(condition.value) };
    case "in":
    case "not_in":
      return { ...condition, values: condition.values.map(fit) };
    case "range":
      for (const name of ["gt", "gte", "lt", "lte"] as const)
        requireBound(condition[name], field, [...path, name]);
      return condition;
    default:
      return condition;
  }
}

/** In a text field, a number or a boolean stands for its text. */
function fitType(value: ConditionValue, { types, listed = [] }: FieldShape): ConditionValue {
  const all = [...types, ...listed];
  if (typeof value === "string" || !all.includes("string")) return value;
  const own = typeof value === "number" ? ["number", "integer"] : ["boolean"];
  return all.some((type) => own.includes(type)) ? value : String(value);
}

/** Text has no ordering that people would agree on. */
function requireBound(
  bound: string | number | undefined,
  { name, format }: FieldShape,
  path: FieldPath,
): void {
  if (bound === undefined || typeof bound === "number") return;
  const isTime = format === "date-time" || format === "date";
  if (!isTime || parseTimeMs(bound) === undefined) {
    refuseAt("invalid_request", path, `must be a number${isTime ? " or a time" : `: ${name} has no order`}`);
  }
}
