import { z } from "zod";

type Written = z.core.JSONSchema.BaseSchema;

/** Converts a zod schema into the JSON Schema for documents and tool lists. */
export function toJsonSchema(schema: z.core.$ZodType, io: "input" | "output" = "output"): Written {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io, override: tidySchema });
  return written;
}

/** Removes what `z.toJSONSchema` adds and readers do not need. */
export function tidySchema({ jsonSchema }: { readonly jsonSchema: Written }): void {
  dropSafeBounds(jsonSchema);
  joinNull(jsonSchema);
}

/** Every `z.int()` is within the safe integers. */
function dropSafeBounds(schema: Written): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** `anyOf: [{ type: "object", … }, { type: "null" }]` is one schema with two types. */
function joinNull(schema: Written): void {
  const [some, none, ...more] = schema.anyOf ?? [];
  if (typeof some !== "object" || typeof none !== "object" || none.type !== "null" || more.length > 0) return;
  if (typeof some.type !== "string" || "enum" in some || "const" in some) return;
  delete schema.anyOf;
  Object.assign(schema, some, { type: [some.type, "null"] });
}
