import { z } from "zod";
import { errorBodySchema } from "../errors/error-body.ts";
import { recordSchema } from "../record/record.ts";
import { readErrorCodes } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, streamParam } from "./params.ts";

/** The last line of an export: without it, the export is incomplete. */
const exportEndSchema = z.looseObject({
  object: z.literal("export_end"),
  record_count: z.int().min(0),
});

/** `export`: every granted record, whole. */
export const exportRecordsOperation = defineOperation({
  name: "export",
  summary:
    "Streams every granted record whole, one per line, and a last line with the count, or the reason why the stream broke off.",
  method: "GET",
  path: "/v1/export",
  kind: "client",
  input: z.object({ stream: streamParam.optional(), connection_id: connectionParam }),
  answer: "ndjson",
  output: z.union([recordSchema, exportEndSchema, errorBodySchema]),
  errors: [...readErrorCodes, "stream_too_long"],
});
