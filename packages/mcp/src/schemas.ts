/** The schemas that tool lists publish. */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { toJsonSchema } from "@rungs/contract";
import { fieldWindowSchema } from "@rungs/evidence";
import { z } from "zod";

/** A schema that tool lists show but the SDK does not enforce: our own errors have a code and say what to do next. */
export type PublishedSchema = StandardSchemaWithJSON;

/** Publishes a zod schema as tidy JSON Schema. */
export function publishSchema(schema: z.ZodObject): PublishedSchema {
  const input = omitEmpty(toJsonSchema(schema, "input")) as Record<string, unknown>;
  const output = omitEmpty(toJsonSchema(schema, "output")) as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "rungs",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => input, output: () => output },
    },
  };
}

/** Drops keywords that restrict nothing: every host sends the list to its model. */
function omitEmpty(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(omitEmpty);
  if (schema === null || typeof schema !== "object") return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => !(/^(?:additionalP|p)roperties$/.test(name) && JSON.stringify(value) === "{}"),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, omitEmpty(value)]));
}

// Arguments whose limits the server checks: published without them, so that the list of tools stays short.
export const text = z.string().optional();
export const texts = z.array(z.string()).optional();

// Output schemas are loose: clients keep old tool lists, and a new member must not break them.

const ladder = z.looseObject({ records: z.array(z.looseObject({})) });
const result = z.looseObject({ id: z.string(), title: z.string(), url: z.string().optional() });
const envelope = z.looseObject({}).describe("The resource server's own answer.");

/** A page of hits or records. */
export const pageOutput = publishSchema(
  z.looseObject({ results: z.array(result), content_ladder: ladder, data: envelope.optional() }),
);

/** One record, in ChatGPT's form of a document. */
export const recordOutput = publishSchema(
  z.looseObject({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string().optional(),
    metadata: z.looseObject({}),
    content_ladder: ladder,
    data: envelope.optional(),
  }),
);

/** The fixed tool contract, verbatim (R20). */
export const windowOutput = publishSchema(fieldWindowSchema);

/** Anything else. */
export const looseOutput = publishSchema(z.looseObject({}));
