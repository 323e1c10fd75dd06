import { inPlaceKeywords, type JsonType } from "./keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "./schema.ts";
import { resolveRef, type SchemaIndex } from "./walk.ts";

const anyType: readonly JsonType[] = ["string", "number", "boolean", "null", "array", "object"];

/** The JSON types that a value of this schema can have. */
export function inferTypes(schema: JsonSchema, index: SchemaIndex): readonly JsonType[] {
  if (typeof schema === "boolean") return schema ? anyType : [];
  return listLimits(schema, index).reduce(intersect, anyType);
}

/** The narrowest JSON type of a value. */
export function detectType(value: string | number | boolean | null): JsonType {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as "string" | "boolean";
}

/** Whether a value of type `type` can be one of `types`; an integer is a number. */
export function includesType(types: readonly JsonType[], type: JsonType): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** What each keyword of the schema allows; a value must fit all of them. */
function listLimits(schema: JsonSchemaObject, index: SchemaIndex): (readonly JsonType[])[] {
  const found: (readonly JsonType[])[] = [];
  const target = schema.$ref === undefined ? undefined : resolveRef(schema.$ref, index);
  if (target) found.push(inferTypes(target, index));
  if (schema.type !== undefined) found.push([schema.type].flat());
  if (schema.enum) found.push([...new Set(schema.enum.map(detectType))]);
  if (schema.const !== undefined) found.push([detectType(schema.const)]);
  for (const keyword of inPlaceKeywords) {
    const branches = (schema[keyword] ?? []).map((branch) => inferTypes(branch, index));
    if (keyword === "allOf") found.push(...branches);
    else if (branches.length > 0) found.push([...new Set(branches.flat())]);
  }
  return found;
}

function intersect(left: readonly JsonType[], right: readonly JsonType[]): JsonType[] {
  const both = [
    ...left.filter((type) => includesType(right, type)),
    ...right.filter((type) => includesType(left, type)),
  ];
  return [...new Set(both)];
}
