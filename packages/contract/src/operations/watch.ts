/** Reports, as it happens, that granted data of a stream changed, and never what. */
import { z } from "zod";
import { errorBodySchema } from "../errors/error-body.ts";
import { cursorErrors, streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, streamParam } from "./params.ts";

/** One line. `changes_since` of `list_records` takes either position: the first lists the change, the second what comes after it. */
const watchLineSchema = z.looseObject({
  object: z.enum(["stream_watched", "stream_changed"]),
  connection_id: z.string(),
  stream: z.string(),
  changes_since: z.string(),
  next_changes_since: z.string(),
});

const WATCH_SECONDS = 7_200;

/** `watch`: a line whenever granted data of a stream changes, while the connection is open. */
export const watchOperation = defineOperation({
  name: "watch",
  summary:
    "Sends a line as soon as granted data of a stream changes, while the connection is open. The first line comes at once; empty lines are keep-alives.",
  method: "GET",
  path: "/v1/watch/{stream}",
  kind: "client",
  input: z.object({
    stream: streamParam,
    connection_id: connectionParam,
    changes_since: z
      .string()
      .min(1)
      .max(8192)
      .describe("next_changes_since of an earlier line or list; by default, from now on.")
      .optional(),
    seconds: z
      .int()
      .min(0)
      .max(WATCH_SECONDS)
      .describe("How long to watch; by default, until the client disconnects, at most two hours.")
      .optional(),
  }),
  answer: "ndjson",
  output: z.union([watchLineSchema, errorBodySchema]),
  errors: [...streamErrors, ...cursorErrors, "stream_too_long"],
});
