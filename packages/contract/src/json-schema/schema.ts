import { z } from "zod";
import { jsonTypes } from "./keywords.ts";

const typeName = z.enum(jsonTypes);
const count = z.int().nonnegative();
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const schemaObject = z.looseObject({
  $schema: z.literal("https://json-schema.org/draft/2020-12/schema").optional(),
  $ref: z.string().optional(),
  type: z.union([typeName, z.array(typeName).min(1)]).optional(),
  enum: z.array(scalar).min(1).optional(),
  const: scalar.optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  contentMediaType: z.string().optional(),
  contentEncoding: z.string().optional(),
  minLength: count.optional(),
  maxLength: count.optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().positive().optional(),
  minItems: count.optional(),
  maxItems: count.optional(),
  minContains: count.optional(),
  maxContains: count.optional(),
  uniqueItems: z.boolean().optional(),
  required: z.array(z.string()).optional(),
  minProperties: count.optional(),
  maxProperties: count.optional(),
  get properties() {
    return schemaMap.optional();
  },
  get patternProperties() {
    return schemaMap.optional();
  },
  get $defs() {
    return schemaMap.optional();
  },
  get definitions() {
    return schemaMap.optional();
  },
  get additionalProperties() {
    return jsonSchemaSchema.optional();
  },
  get propertyNames() {
    return jsonSchemaSchema.optional();
  },
  get items() {
    return jsonSchemaSchema.optional();
  },
  get contains() {
    return jsonSchemaSchema.optional();
  },
  get prefixItems() {
    return schemaList.optional();
  },
  get anyOf() {
    return schemaList.optional();
  },
  get oneOf() {
    return schemaList.optional();
  },
  get allOf() {
    return schemaList.optional();
  },
});

/** A schema written as an object; the two boolean schemas aside, every schema is one. */
export type JsonSchemaObject = z.infer<typeof schemaObject>;

/** A JSON Schema 2020-12 with keywords of the right form; `findSchemaProblem` says whether it can be used. */
export const jsonSchemaSchema = z.union([z.boolean(), schemaObject]);

/** A JSON Schema 2020-12. */
export type JsonSchema = z.infer<typeof jsonSchemaSchema>;

const schemaMap = z.record(z.string(), jsonSchemaSchema);
const schemaList = z.array(jsonSchemaSchema).min(1);
