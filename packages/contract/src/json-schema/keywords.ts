/** The JSON types, by their JSON Schema names. */
export const jsonTypes = ["string", "number", "integer", "boolean", "null", "array", "object"] as const;

/** A JSON type, by its JSON Schema name. */
export type JsonType = (typeof jsonTypes)[number];

/** Keywords that apply to values of one type only. */
export const typedKeywords = new Set([
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "items",
  "prefixItems",
  "contains",
  "minContains",
  "maxContains",
  "minItems",
  "maxItems",
  "uniqueItems",
  "properties",
  "patternProperties",
  "additionalProperties",
  "propertyNames",
  "required",
  "minProperties",
  "maxProperties",
]);

/** Keywords whose value is another schema for the same value. */
export const inPlaceKeywords = ["anyOf", "oneOf", "allOf"] as const;

/** Every keyword that a value can break. */
const assertionKeywords = new Set([...typedKeywords, ...inPlaceKeywords, "type", "enum", "const", "$ref"]);

const annotationKeywords = new Set([
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "format",
  "contentMediaType",
  "contentEncoding",
]);

/** Whether a schema may use `keyword`: those we check exactly, plain annotations, and `x-` extensions. */
export function isSupportedKeyword(keyword: string): boolean {
  return assertionKeywords.has(keyword) || annotationKeywords.has(keyword) || /^x[-_]/.test(keyword);
}
