import { type Argument, type Continuation, continuationSchema } from "@rungs/evidence";
import { z } from "zod";
import { THREAD_REACH, VALUE_CHARS } from "../pagination/pagination.ts";
import { recordSchema } from "../record/record.ts";
import { streamErrors } from "./error-sets.ts";
import { defineOperation, type OutputOf } from "./operation.ts";
import { connectionParam, recordIdParam, streamParam, viewParam } from "./params.ts";

/** `read_thread`: the records before and after a record in its thread (R66). */
export const readThreadOperation = defineOperation({
  name: "read_thread",
  summary: "Reads the records before and after a record in its thread, in order of time.",
  method: "GET",
  path: "/v1/streams/{stream}/records/{id}/thread",
  kind: "client",
  input: z.object({
    stream: streamParam,
    id: recordIdParam,
    connection_id: connectionParam,
    before: reachParam("before"),
    after: reachParam("after"),
    view: viewParam.describe(
      `whole (default): of each record ${VALUE_CHARS.whole.thread_record} characters of values, the longest cut. preview: ${VALUE_CHARS.preview.record}.`,
    ),
  }),
  answer: "json",
  output: z.looseObject({
    object: z.literal("thread"),
    url: z.string(),
    anchor: z.string().describe("The handle of the requested record."),
    in_thread: z
      .boolean()
      .describe(
        "False for a record in no thread, or in one that the grant does not show: then it is alone in data.",
      ),
    data: z
      .array(recordSchema)
      .describe("The records in the order of the thread, with the anchor among them."),
    has_before: z.boolean(),
    has_after: z.boolean(),
    before: continuationSchema.describe("The call that reads earlier records.").optional(),
    after: continuationSchema.describe("The call that reads later records.").optional(),
  }),
  errors: [...streamErrors, "not_found"],
});

/** The records around a record in its thread. */
export type Thread = OutputOf<typeof readThreadOperation>;

/** The call that continues from a record on one side, with the reach of the previous call. */
export function continueThread(
  id: string,
  side: "before" | "after",
  reach: Argument | undefined,
): Continuation {
  const count = Number(reach) || THREAD_REACH.default;
  return {
    operation: "read_thread",
    args: side === "before" ? { id, before: count, after: 0 } : { id, before: 0, after: count },
  };
}

function reachParam(side: "before" | "after") {
  return z
    .int()
    .min(0)
    .max(THREAD_REACH.max)
    .describe(`How many records ${side} it: ${THREAD_REACH.default} by default, at most ${THREAD_REACH.max}.`)
    .optional();
}
