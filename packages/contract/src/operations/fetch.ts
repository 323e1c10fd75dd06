import { z } from "zod";
import { recordSchema } from "../record/record.ts";
import { streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import {
  afterFieldParam,
  connectionParam,
  fieldsParam,
  recordIdParam,
  streamParam,
  viewParam,
} from "./params.ts";

/** `fetch`: one record. */
export const fetchOperation = defineOperation({
  name: "fetch",
  summary: "Returns one record: with view=preview long values are cut, each with the call that reads on.",
  method: "GET",
  path: "/v1/streams/{stream}/records/{id}",
  kind: "client",
  input: z.object({
    stream: streamParam,
    id: recordIdParam,
    connection_id: connectionParam,
    fields: fieldsParam,
    after_field: afterFieldParam,
    view: viewParam,
  }),
  answer: "json",
  output: recordSchema,
  errors: [...streamErrors, "field_not_granted", "not_found"],
});
