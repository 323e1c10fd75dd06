/** The owner's exclusions: what no agent reads, whatever a grant allows (R81). */
import { connectionIdSchema, expressionSchema, recordIdSchema, streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { conditionSchema } from "./condition.ts";

/**
 * What an exclusion hides: one record, every record with a person in a field to select by, every record that meets a condition, or
 * every record in which an RE2 expression has a match, in any field or in one.
 */
const hiddenSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("record"),
    connection_id: connectionIdSchema,
    stream: streamNameSchema,
    record_id: recordIdSchema,
  }),
  z.strictObject({ kind: z.literal("person"), person: z.string().trim().min(1).max(256) }),
  z.strictObject({
    kind: z.literal("value"),
    condition: conditionSchema,
    connection_id: connectionIdSchema.optional(),
    stream: streamNameSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal("pattern"),
    pattern: expressionSchema,
    field: z.string().min(1).optional(),
    connection_id: connectionIdSchema.optional(),
    stream: streamNameSchema.optional(),
  }),
]);

export const exclusionSchema = z.strictObject({
  rule_id: z.string().min(1).max(128),
  created_at: z.iso.datetime({ offset: true }),
  note: z.string().max(1_000).optional(),
  hides: hiddenSchema,
});

/** A rule of the owner about what no agent reads. */
export type Exclusion = z.infer<typeof exclusionSchema>;

/** Whether a rule applies to a stream: it names the stream, its connection, or neither. */
export function isInPlace(
  {
    connection_id,
    stream,
  }: { readonly connection_id?: string | undefined; readonly stream?: string | undefined },
  place: { readonly connection_id: string; readonly stream: string },
): boolean {
  return (
    (connection_id === undefined || connection_id === place.connection_id) &&
    (stream === undefined || stream === place.stream)
  );
}
