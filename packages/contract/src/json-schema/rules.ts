import type { FieldPath } from "@rungs/evidence";
import type { Problem } from "../errors/problem.ts";
import { detectType, includesType } from "./infer-types.ts";
import { inPlaceKeywords, isSupportedKeyword, typedKeywords } from "./keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "./schema.ts";
import { indexSchemas, parseRef, resolveRef, type SchemaIndex, type SchemaPlace } from "./walk.ts";

type Rule = (place: SchemaPlace, index: SchemaIndex) => Problem | undefined;

/** In this order: a later rule relies on the earlier ones. */
const rules: readonly Rule[] = [checkKeywords, checkRef, checkLoop, checkTyped, checkValues, checkPattern];

/** Finds the first rule of a schema that we cannot enforce: a rule declared but not enforced is worse than an error. */
export function findSchemaProblem(root: JsonSchema): Problem | undefined {
  const index = indexSchemas(root);
  for (const rule of rules) {
    for (const place of index.values()) {
      const problem = rule(place, index);
      if (problem) return problem;
    }
  }
  return undefined;
}

function checkKeywords({ schema, path }: SchemaPlace): Problem | undefined {
  const keyword = Object.keys(schema).find((name) => !isSupportedKeyword(name));
  if (keyword === undefined) return undefined;
  return { path: [...path, keyword], message: "is not a JSON Schema keyword that is supported here" };
}

function checkRef({ schema, path }: SchemaPlace, index: SchemaIndex): Problem | undefined {
  if (schema.$ref === undefined || parseRef(schema.$ref, index) !== undefined) return undefined;
  return {
    path: [...path, "$ref"],
    message: "does not lead to a schema of this document (only #/… references are supported)",
  };
}

function checkLoop(place: SchemaPlace, index: SchemaIndex): Problem | undefined {
  const seen = new Set<JsonSchema>();
  const loops = (schema: JsonSchema): boolean => {
    if (typeof schema === "boolean") return false;
    if (schema === place.schema && seen.size > 0) return true;
    if (seen.has(schema)) return false;
    seen.add(schema);
    return sameValueSchemas(schema, index).some(loops);
  };
  return loops(place.schema) ? { path: place.path, message: "refers to itself endlessly" } : undefined;
}

/** A limit without a type lets every value of another type pass, which is usually a mistake. */
function checkTyped({ schema, path }: SchemaPlace): Problem | undefined {
  if (schema.type !== undefined) return undefined;
  const keyword = Object.keys(schema).find((name) => typedKeywords.has(name));
  return keyword === undefined ? undefined : { path: [...path, keyword], message: "needs a type beside it" };
}

function checkValues({ schema, path }: SchemaPlace): Problem | undefined {
  if (schema.type === undefined) return undefined;
  const declared = [schema.type].flat();
  const listed = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const fits = listed.every((value) => includesType(declared, detectType(value)));
  return fits ? undefined : { path, message: "lists a value that its own type excludes" };
}

/** Patterns run without the `u` flag, where these escapes mean something else. */
const UNICODE_ESCAPE = /\\[pPu]\{/;

function checkPattern({ schema, path }: SchemaPlace): Problem | undefined {
  const patterns: (readonly [string, FieldPath])[] = Object.keys(schema.patternProperties ?? {}).map(
    (pattern) => [pattern, [...path, "patternProperties", pattern]],
  );
  if (schema.pattern !== undefined) patterns.push([schema.pattern, [...path, "pattern"]]);
  const broken = patterns.find(([pattern]) => UNICODE_ESCAPE.test(pattern) || !isPattern(pattern));
  return broken && { path: broken[1], message: "is not a regular expression that is supported here" };
}

function isPattern(pattern: string): boolean {
  try {
    RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

function sameValueSchemas(schema: JsonSchemaObject, index: SchemaIndex): JsonSchema[] {
  const target = schema.$ref === undefined ? undefined : resolveRef(schema.$ref, index);
  return [...(target ? [target] : []), ...inPlaceKeywords.flatMap((keyword) => schema[keyword] ?? [])];
}
