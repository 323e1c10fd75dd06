import {
  AROUND_DEFAULT_CHARS,
  fieldInfoSchema,
  recordIdentitySchema,
  WINDOW_DEFAULT_CHARS,
  WINDOW_ROOM_BYTES,
  windowSchema,
  windowSelectorShape,
} from "@rungs/evidence";
import { z } from "zod";
import { cursorErrors, streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, recordIdParam, streamParam } from "./params.ts";

const { cursor, offset_chars, limit_chars, q, before_chars, after_chars } = windowSelectorShape;

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
    cursor: cursor.describe("next_cursor or previous_cursor of a window; keeps the requested size."),
    offset_chars: offset_chars.describe("The character to start at; 0 by default."),
    limit_chars: limit_chars.describe(
      `How many characters, exactly. ${WINDOW_DEFAULT_CHARS} when no size is given, fewer where these take more than ${WINDOW_ROOM_BYTES.json} bytes as JSON or ${WINDOW_ROOM_BYTES.both} as JSON and text.`,
    ),
    q: q.describe("Around the first match of these words."),
    before_chars: before_chars.describe(`Before the match; ${AROUND_DEFAULT_CHARS} by default.`),
    after_chars: after_chars.describe(`After the match; ${AROUND_DEFAULT_CHARS} by default.`),
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
