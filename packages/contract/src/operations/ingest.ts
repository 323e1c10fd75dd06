import { connectionIdSchema } from "@rungs/evidence";
import { z } from "zod";
import { REJECTIONS_MAX } from "../pagination/pagination.ts";
import { recordEnvelopeSchema } from "../record/record.ts";
import { ownerErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";

const count = z.int().min(0);

/** How many records an ingest added, changed and so on. */
export const ingestCounts = {
  added: count,
  changed: count,
  unchanged: count,
  deleted: count,
  rejected: count,
} as const;

/** A rejected line, with the reason. */
export const rejectionSchema = z.looseObject({
  line: z.int().min(1),
  code: z.string(),
  message: z.string(),
  param: z.string().optional(),
});

/** `ingest`: the owner adds records; idempotent. */
export const ingestOperation = defineOperation({
  name: "ingest",
  summary: "Ingests records into a connection, one per line; a refused line does not stop the others.",
  method: "POST",
  path: "/v1/connections/{connection_id}/records",
  kind: "owner",
  input: z.object({ connection_id: connectionIdSchema }),
  body_line: recordEnvelopeSchema,
  answer: "json",
  output: z.looseObject({
    object: z.literal("ingest_result"),
    connection_id: z.string(),
    ...ingestCounts,
    rejections: z.array(rejectionSchema).describe(`The first ${REJECTIONS_MAX} lines that were refused.`),
  }),
  errors: [
    ...ownerErrors,
    "connection_not_found",
    "unsupported_media_type",
    "request_too_large",
    "invalid_manifest",
  ],
});
