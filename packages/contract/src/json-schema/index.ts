export { createSchemaCheck } from "./check.ts";
export { inferTypes } from "./infer-types.ts";
export type { JsonType } from "./keywords.ts";
export { findSchemaProblem } from "./rules.ts";
export { type JsonSchema, type JsonSchemaObject, jsonSchemaSchema } from "./schema.ts";
export { indexSchemas, resolveRef, type SchemaIndex } from "./walk.ts";
