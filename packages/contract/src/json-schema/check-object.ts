import type { Problem } from "../errors/problem.ts";
import type { JsonSchemaObject } from "./schema.ts";
import {
  type CompileSchema,
  isJsonObject,
  type JsonMembers,
  problem,
  problemAt,
  type SchemaCheck,
} from "./schema-check.ts";

type ObjectCheck = (object: JsonMembers) => Problem | undefined;

/** Compiles the keywords about the properties of an object. */
export function compileObject(schema: JsonSchemaObject, compile: CompileSchema): SchemaCheck[] {
  const checks: ObjectCheck[] = (schema.required ?? []).map(compileRequired);
  if (schema.properties || schema.patternProperties || schema.additionalProperties !== undefined) {
    checks.push(compileProperties(schema, compile));
  }
  if (schema.propertyNames !== undefined) checks.push(compileNames(compile(schema.propertyNames)));
  return checks.map((check) => (value) => (isJsonObject(value) ? check(value) : undefined));
}

function compileRequired(name: string): ObjectCheck {
  const missing = problemAt(name, problem("is missing"));
  return (object) => (Object.hasOwn(object, name) ? undefined : missing);
}

const notAllowed = problem("has a property that its schema does not allow");

/** `additionalProperties` applies to a property that neither `properties` nor `patternProperties` covers. */
function compileProperties(schema: JsonSchemaObject, compile: CompileSchema): ObjectCheck {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  const named = new Map(Object.entries(properties).map(([name, each]) => [name, compile(each)]));
  const patterned = Object.entries(patternProperties).map(
    ([pattern, each]) => [RegExp(pattern), compile(each)] as const,
  );
  const rest = compile(additionalProperties);

  return (object) => {
    for (const [name, value] of Object.entries(object)) {
      const own = named.get(name);
      let found = own?.(value);
      let isCovered = own !== undefined;
      for (const [pattern, check] of patterned) {
        if (!pattern.test(name)) continue;
        isCovered = true;
        found ??= check(value);
      }
      if (!isCovered && additionalProperties === false) return notAllowed;
      if (!isCovered) found = rest(value);
      if (found) return problemAt(name, found);
    }
    return undefined;
  };
}

function compileNames(check: SchemaCheck): ObjectCheck {
  return (object) => (Object.keys(object).some((name) => check(name)) ? notAllowed : undefined);
}
