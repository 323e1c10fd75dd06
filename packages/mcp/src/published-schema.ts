import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { toJsonSchema } from "@rungs/contract";
import type { z } from "zod";

/** A schema that tool lists show and the SDK does not enforce: refusals are ours, with a code and a way on. */
export type PublishedSchema = StandardSchemaWithJSON;

/** Publishes a zod schema as tidy JSON Schema. */
export function publishSchema(schema: z.ZodObject): PublishedSchema {
  const input = toJsonSchema(schema, "input") as Record<string, unknown>;
  const output = toJsonSchema(schema, "output") as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "rungs",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => input, output: () => output },
    },
  };
}
