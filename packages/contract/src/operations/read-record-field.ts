import { fieldInfoSchema, recordIdentitySchema, windowSchema, windowSelectorShape } from "@rungs/evidence";
import { z } from "zod";
import { cursorErrors, streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, recordIdParam, streamParam } from "./params.ts";

/** `read_record_field`: a bounded window of one field's text (R20). */
export const readRecordFieldOperation = defineOperation({
  name: "read_record_field",
  summary: "Reads a bounded window of one field's text: at an offset, at a cursor, or around a match.",
  method: "GET",
  path: "/v1/streams/{stream}/records/{id}/field-window",
  kind: "client",
  input: z.object({
    stream: streamParam,
    id: recordIdParam,
    connection_id: connectionParam,
    field_path: z.string().min(1).describe('Like body, payload.parts[2].text or ["a.b"].c.'),
    ...windowSelectorShape,
  }),
  aliases: { field: "field_path" },
  answer: "json",
  output: z.strictObject({
    object: z.literal("field_window"),
    record: recordIdentitySchema,
    field: fieldInfoSchema,
    window: windowSchema,
  }),
  errors: [
    ...streamErrors,
    ...cursorErrors,
    "invalid_field_path",
    "invalid_selector",
    "invalid_query",
    "field_not_granted",
    "field_not_text",
    "match_not_found",
    "not_found",
  ],
});
