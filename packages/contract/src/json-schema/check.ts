import { compileArray } from "./check-array.ts";
import { compileLimits } from "./check-limits.ts";
import { compileObject } from "./check-object.ts";
import type { JsonType } from "./keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "./schema.ts";
import { type CompileSchema, isJsonObject, problem, type SchemaCheck } from "./schema-check.ts";
import { indexSchemas, resolveRef, type SchemaIndex } from "./walk.ts";

/** Compiles a schema without problems (`findSchemaProblem`) into closures, one for each keyword. */
export function createSchemaCheck(root: JsonSchema): SchemaCheck {
  const index = indexSchemas(root);
  const compiled = new Map<JsonSchema, SchemaCheck>();
  const compile: CompileSchema = (schema) => {
    if (typeof schema === "boolean") return schema ? accept : () => problem("is not allowed by its schema");
    const known = compiled.get(schema);
    if (known) return known;
    let check: SchemaCheck = accept;
    // Registered before compilation, for schemas that refer to themselves.
    compiled.set(schema, (value) => check(value));
    check = checkAll(compileKeywords(schema, index, compile));
    compiled.set(schema, check);
    return check;
  };
  return compile(root);
}

function compileKeywords(
  schema: JsonSchemaObject,
  index: SchemaIndex,
  compile: CompileSchema,
): readonly SchemaCheck[] {
  const target = schema.$ref === undefined ? undefined : resolveRef(schema.$ref, index);
  return [
    ...(target ? [compile(target)] : []),
    ...compileType(schema),
    ...compileValues(schema),
    ...(schema.allOf ?? []).map(compile),
    ...compileBranches(schema, compile),
    ...compileLimits(schema),
    ...compileArray(schema, compile),
    ...compileObject(schema, compile),
  ];
}

function checkAll(checks: readonly SchemaCheck[]): SchemaCheck {
  const [only = accept, ...more] = checks;
  if (more.length === 0) return only;
  return (value) => {
    for (const check of checks) {
      const found = check(value);
      if (found) return found;
    }
    return undefined;
  };
}

function accept(): undefined {
  return undefined;
}

const isOfType: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  // JSON.parse has already rounded larger ones.
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: isJsonObject,
};

function compileType({ type }: JsonSchemaObject): SchemaCheck[] {
  if (type === undefined) return [];
  const types = [type].flat();
  const wrong = problem(`must be of type ${types.join(" or ")}`);
  const tests = types.map((each) => isOfType[each]);
  const [only, ...more] = tests as [(value: unknown) => boolean];
  if (more.length === 0) return [(value) => (only(value) ? undefined : wrong)];
  return [(value) => (tests.some((test) => test(value)) ? undefined : wrong)];
}

function compileValues(schema: JsonSchemaObject): SchemaCheck[] {
  if (schema.enum === undefined && schema.const === undefined) return [];
  const wrong = problem("is not one of the values that its schema lists");
  const values = new Set<unknown>(schema.enum ?? [schema.const]);
  const { const: only } = schema;
  return [(value) => (values.has(value) && (only === undefined || value === only) ? undefined : wrong)];
}

function compileBranches({ anyOf, oneOf }: JsonSchemaObject, compile: CompileSchema): SchemaCheck[] {
  const none = problem("does not have any of the forms that its schema allows");
  const several = problem("has more than one of the forms of which its schema allows one");
  const checks: SchemaCheck[] = [];
  if (anyOf) {
    const branches = anyOf.map(compile);
    checks.push((value) => (branches.some((branch) => !branch(value)) ? undefined : none));
  }
  if (oneOf) {
    const branches = oneOf.map(compile);
    checks.push((value) => {
      const fits = branches.filter((branch) => !branch(value)).length;
      return fits === 1 ? undefined : fits === 0 ? none : several;
    });
  }
  return checks;
}
