import { connectionIdSchema, formatFieldPath, streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { ApiError } from "../errors/errors.ts";
import { firstProblem, plainMessages } from "../errors/problem.ts";
import { absoluteUriSchema, sourceSchema } from "../manifest/manifest-schema.ts";
import { streamSelectionShape } from "../manifest/stream-selection.ts";
import { accessModeSchema, DATA_ACCESS_TYPE, retentionSchema } from "./grant.ts";

/** The wildcard: names every stream of a source. */
export const EVERY_STREAM = "*";

const streamRequestSchema = z.strictObject({
  name: z.union([streamNameSchema, z.literal(EVERY_STREAM)]),
  instance_ids: z.array(connectionIdSchema).min(1).optional(),
  ...streamSelectionShape,
});

/** The requested scope for one source (RFC 9396 authorization detail). */
export const selectionRequestSchema = z
  .strictObject({
    type: z.literal(DATA_ACCESS_TYPE),
    source: sourceSchema.partial({ kind: true }),
    purpose_code: absoluteUriSchema,
    purpose_description: z.string().max(4096).optional(),
    access_mode: accessModeSchema,
    retention: retentionSchema.optional(),
    streams: z.array(streamRequestSchema).min(1).optional(),
    selection_preset: z.string().min(1).optional(),
    client_claims: z.looseObject({ commitments: z.array(z.string()).optional() }).optional(),
  })
  .refine(({ streams, selection_preset }) => (streams === undefined) !== (selection_preset === undefined), {
    message: "needs either streams or selection_preset",
  });

/** The requested scope for one source. */
export type SelectionRequest = z.infer<typeof selectionRequestSchema>;

/** The requested scope for one stream. */
export type StreamRequest = z.infer<typeof streamRequestSchema>;

/** Parses `authorization_details`, or throws `invalid_request` with the location. */
export function requireSelectionRequests(value: unknown): SelectionRequest[] {
  const parsed = z.array(selectionRequestSchema).min(1).safeParse(value, plainMessages);
  if (parsed.success) return parsed.data;
  const { path, message } = firstProblem(parsed.error);
  const param = formatFieldPath(["authorization_details", ...path]);
  throw new ApiError("invalid_request", { param, message: `${param}: ${message}.` });
}
