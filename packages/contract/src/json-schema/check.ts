import { valueAt } from "@rungs/evidence";
import { z } from "zod";
import type { Problem } from "../problem.ts";
import { assertionKeywords } from "./keywords.ts";
import { isMiscount } from "./miscount.ts";
import type { JsonSchema, JsonSchemaObject } from "./schema.ts";
import { indexSchemas, mapSchemas, parseRef, resolveRef } from "./walk.ts";

/**
 * Compiles a schema that has no problem (`findSchemaProblem`) into a check that says where a value first breaks it,
 * and how, but never what the value is.
 */
export function createSchemaCheck(schema: JsonSchema): (value: unknown) => Problem | undefined {
  const checker = z.fromJSONSchema(toCheckable(schema) as Parameters<typeof z.fromJSONSchema>[0], {
    registry: z.registry<Record<string, unknown>>(),
  });
  return (value) => {
    const issues = checker.safeParse(value).error?.issues ?? [];
    const issue = issues.find((each) => !isMiscount(each, value));
    return issue && describeIssue(issue, value);
  };
}

/**
 * Leaves only what values can break: `fromJSONSchema` would fill defaults in for required fields and freeze what is
 * `readOnly`. References are rewritten to flat `$defs`, the only ones that it resolves.
 */
function toCheckable(root: JsonSchema): JsonSchema {
  if (typeof root === "boolean") return root;
  const index = indexSchemas(root);
  const names = new Map([...index.keys()].map((pointer, at) => [pointer, `s${at}`]));
  const nameOf = (ref: string): string => names.get(parseRef(ref, index) ?? "") ?? "";
  const bare = (schema: JsonSchema): JsonSchema => mapSchemas(schema, (part) => strip(part, nameOf));
  const refs = [...index.values()].flatMap(({ schema }) => schema.$ref ?? []);
  const $defs = Object.fromEntries(refs.map((ref) => [nameOf(ref), bare(resolveRef(ref, index) ?? true)]));
  return { ...(bare(root) as JsonSchemaObject), $defs };
}

function strip(schema: JsonSchemaObject, nameOf: (ref: string) => string): JsonSchemaObject {
  const kept: JsonSchemaObject = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => assertionKeywords.has(keyword)),
  );
  if (schema.$ref !== undefined) kept.$ref = `#/$defs/${nameOf(schema.$ref)}`;
  if (isEnforcedFormat(schema.format)) kept.format = schema.format;
  if (schema.required) kept.properties = { ...declareEach(schema.required, schema), ...schema.properties };
  // `fromJSONSchema` counts the items of an array only where it says what they are.
  if (countsItems(schema)) kept.items ??= true;
  return kept;
}

function countsItems({ prefixItems, minItems, maxItems }: JsonSchemaObject): boolean {
  return prefixItems === undefined && (minItems ?? maxItems) !== undefined;
}

/** The other formats are annotations, as JSON Schema has it by default: real mail addresses break `email`. */
function isEnforcedFormat(format: string | undefined): format is string {
  return format === "date-time" || format === "date";
}

/** `fromJSONSchema` requires only names that are also in `properties`; as one of those a name stays what it was. */
function declareEach(names: readonly string[], schema: JsonSchemaObject): Record<string, JsonSchema> {
  const { additionalProperties = true, patternProperties = {} } = schema;
  const patterns = Object.keys(patternProperties).map((pattern) => RegExp(pattern));
  const isPatterned = (name: string): boolean => patterns.some((pattern) => pattern.test(name));
  return Object.fromEntries(names.map((name) => [name, isPatterned(name) ? true : additionalProperties]));
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): Problem {
  const path = issue.path.filter((segment) => typeof segment !== "symbol");
  if (path.length > 0 && valueAt(value, path) === undefined) return { path, message: "is missing" };
  return { path, message: describeRule(issue) };
}

function describeRule(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be of type ${issue.expected}`;
    case "too_small":
      return `breaks a limit of its schema (at least ${issue.minimum})`;
    case "too_big":
      return `breaks a limit of its schema (at most ${issue.maximum})`;
    case "invalid_format":
      return `does not have the form that its schema asks for (${issue.format})`;
    case "invalid_value":
      return "is not one of the values that its schema lists";
    case "unrecognized_keys":
    case "invalid_key":
      return "has a property that its schema does not allow";
    case "not_multiple_of":
      return `is not a multiple of ${issue.divisor}`;
    case "custom":
      return "breaks a rule of its schema about its items";
    default:
      return "does not have any of the forms that its schema allows";
  }
}
