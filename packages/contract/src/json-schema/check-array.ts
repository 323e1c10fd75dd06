import type { Problem } from "../errors/problem.ts";
import type { JsonSchemaObject } from "./schema.ts";
import { type CompileSchema, problem, problemAt, type SchemaCheck } from "./schema-check.ts";

/** Compiles the keywords about the items of an array. */
export function compileArray(schema: JsonSchemaObject, compile: CompileSchema): SchemaCheck[] {
  const checks: ((items: readonly unknown[]) => Problem | undefined)[] = [];
  if (schema.prefixItems || schema.items !== undefined) checks.push(compileItems(schema, compile));
  if (schema.contains !== undefined) checks.push(compileContains(schema, compile));
  if (schema.uniqueItems) checks.push(checkUnique);
  return checks.map((check) => (value) => (Array.isArray(value) ? check(value) : undefined));
}

function compileItems({ prefixItems = [], items = true }: JsonSchemaObject, compile: CompileSchema) {
  const prefix = prefixItems.map(compile);
  const rest = compile(items);
  return (values: readonly unknown[]) => {
    for (const [at, value] of values.entries()) {
      const found = (prefix[at] ?? rest)(value);
      if (found) return problemAt(at, found);
    }
    return undefined;
  };
}

function compileContains(schema: JsonSchemaObject, compile: CompileSchema) {
  const { contains = true, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
  const check = compile(contains);
  const wrong = problem("does not have the number of items that its schema requires (contains)");
  return (values: readonly unknown[]) => {
    const count = values.filter((value) => !check(value)).length;
    return count >= minContains && count <= maxContains ? undefined : wrong;
  };
}

function checkUnique(values: readonly unknown[]) {
  const seen = new Set<string>();
  for (const [at, value] of values.entries()) {
    const text = canonicalJson(value);
    if (seen.has(text)) return problemAt(at, problem("is already in the list"));
    seen.add(text);
  }
  return undefined;
}

/** A canonical text: equal for two JSON values exactly when they are equal. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`,
  );
  return `{${members.sort().join()}}`;
}
