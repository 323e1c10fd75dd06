import { continuationSchema, evidenceSchema, searchHitSchema } from "@rungs/evidence";
import { z } from "zod";
import { errorBodySchema } from "../errors/error-body.ts";
import { tidySchema } from "../json-schema/from-zod.ts";
import { operations, READ_NAMES } from "../operation-table.ts";
import { fieldReadJsonSchema } from "../operations/field-read.ts";
import type { Operation } from "../operations/operation.ts";
import { freshnessSchema, warningSchema } from "../pagination/pagination.ts";
import {
  cutSchema,
  recordEnvelopeSchema,
  recordSchema,
  shownFieldSchema,
  tombstoneSchema,
} from "../record/record.ts";

const shared = {
  Continuation: continuationSchema,
  Cut: cutSchema,
  Error: errorBodySchema,
  Evidence: evidenceSchema,
  Freshness: freshnessSchema,
  IncomingRecord: recordEnvelopeSchema,
  Record: recordSchema,
  SearchHit: searchHitSchema,
  ShownField: shownFieldSchema,
  Tombstone: tombstoneSchema,
  Warning: warningSchema,
};

/** The schemas that responses consist of, each once. */
export function describeSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(shared)) registry.add(schema, { id });
  for (const operation of Object.values(operations)) {
    if (hasAnswerSchema(operation)) registry.add(operation.output, { id: answerName(operation) });
  }
  const { schemas } = z.toJSONSchema(registry, { uri: schemaRef, override: writeSchema });
  const written = Object.entries(schemas).map(([id, { $schema, $id, ...schema }]): [string, object] => [
    id,
    schema,
  ]);
  return Object.fromEntries([...written, ["FieldRead", fieldReadJsonSchema]]);
}

/** The document lists the operations that a continuation may name. */
function writeSchema(
  written: Parameters<typeof tidySchema>[0] & { readonly zodSchema: z.core.$ZodType },
): void {
  tidySchema(written);
  if (written.zodSchema !== continuationSchema.shape.operation) return;
  delete written.jsonSchema.pattern;
  written.jsonSchema.enum = READ_NAMES;
}

/** A reference to a schema of the document. */
export function schemaRef(id: string): string {
  return `#/components/schemas/${id}`;
}

/** A reference to the schema of an operation's response. */
export function answerRef(operation: Operation): string {
  const [id] = Object.entries(shared).find(([, schema]) => schema === operation.output) ?? [
    answerName(operation),
  ];
  return schemaRef(id);
}

function hasAnswerSchema({ answer, output }: Operation): boolean {
  const isShared = Object.values<z.ZodType>(shared).includes(output);
  return !isShared && (answer === "json" || answer === "ndjson");
}

function answerName({ name }: Operation): string {
  return `${name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Answer`;
}
