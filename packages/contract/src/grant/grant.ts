import { connectionIdSchema, maskRulesSchema, recordIdSchema, streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { absoluteUriSchema, PROTOCOL_VERSION, sourceSchema } from "../manifest/manifest-schema.ts";
import { isFinerThanMs } from "../record/time.ts";
import { whereSchema } from "./condition.ts";

/** The RFC 9396 type of every detail that selects data. */
export const DATA_ACCESS_TYPE = "https://pdpp.dev/data-access";

/** How long a grant may be used: by one token, or until it expires or is revoked. */
export const accessModeSchema = z.enum(["single_use", "continuous"]);

/** How long the client promises to keep what it reads. */
export const retentionSchema = z.strictObject({
  max_duration: z.iso.duration().optional(),
  on_expiry: z.string().min(1).optional(),
});

const dateTime = z.iso.datetime({ offset: true });
const wholeMs = dateTime.refine((time) => !isFinerThanMs(time), { error: "must be in whole milliseconds" });

/** What a grant masks in one stream: which values in which fields. */
const streamMasksSchema = maskRulesSchema.extend({ fields: z.array(z.string().min(1)).min(1) });

const grantStreamSchema = z.strictObject({
  name: streamNameSchema,
  instance_ids: z.array(connectionIdSchema).min(1),
  fields: z.array(z.string().min(1)).min(1),
  time_constraint: z
    .strictObject({ field: z.string().min(1), since: wholeMs.optional(), until: wholeMs.optional() })
    .optional(),
  resources: z.array(recordIdSchema).min(1).optional(),
  where: whereSchema.optional(),
  masks: streamMasksSchema.optional(),
});

const grantDetailSchema = z.strictObject({
  type: z.literal(DATA_ACCESS_TYPE),
  source: sourceSchema,
  source_declaration: z.strictObject({ version: z.string().min(1) }),
  selection_preset: z.string().min(1).optional(),
  streams: z.array(grantStreamSchema).min(1),
});

const amount = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** How much a client may read under a grant: records and bytes of answers, per UTC day and in all (R83). */
export const grantBudgetSchema = z
  .strictObject({
    records: amount.optional(),
    bytes: amount.optional(),
    records_per_day: amount.optional(),
    bytes_per_day: amount.optional(),
  })
  .refine((budget) => Object.values(budget).some((limit) => limit !== undefined), {
    error: "needs a limit",
  });

/** How much a client may read under a grant. */
export type GrantBudget = z.infer<typeof grantBudgetSchema>;

/** What an owner allowed a client to read, fully resolved: no wildcard, no view, no omitted field list. */
export const grantSchema = z.strictObject({
  version: z.literal(PROTOCOL_VERSION),
  grant_id: z.string().min(1).max(128),
  issued_at: dateTime,
  subject: z.strictObject({ id: z.string().min(1) }),
  client: z.strictObject({ client_id: z.string().min(1), name: z.string().min(1).optional() }),
  access_mode: accessModeSchema,
  expires_at: dateTime.optional(),
  retention: retentionSchema.optional(),
  purpose_code: absoluteUriSchema,
  purpose_description: z.string().optional(),
  authorization_details: z.array(grantDetailSchema).min(1),
  budget: grantBudgetSchema.optional(),
});

/** What an owner allowed a client to read. Only the owner changes or ends it, which ends its earlier cursors and streams too. */
export type Grant = z.infer<typeof grantSchema>;

/** What a grant allows of one source. */
export type GrantDetail = z.infer<typeof grantDetailSchema>;

/** What a grant allows of one stream. */
export type GrantStream = z.infer<typeof grantStreamSchema>;

/** What a grant masks in one stream: values of `kinds` and the owner's own, wherever they occur in `fields` (R82). */
export type StreamMasks = z.infer<typeof streamMasksSchema>;

/**
 * A grant's details as its client sees them: without conditions, masks and the keys of masked records. Their values may
 * be the very thing that the owner hides, such as a person's name, and a client needs none of them to read.
 */
export function listClientDetails({ authorization_details }: Grant): GrantDetail[] {
  return authorization_details.map((detail) => ({
    ...detail,
    streams: detail.streams.map(({ where: _, masks, resources, ...stream }) => ({
      ...stream,
      ...(resources && !masks ? { resources } : {}),
    })),
  }));
}
