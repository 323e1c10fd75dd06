import { z } from "zod";
import { listSchema, RECORD_PAGE } from "../pagination/pagination.ts";
import { recordSchema } from "../record/record.ts";
import { cursorErrors, streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import {
  connectionParam,
  cursorParam,
  fieldsParam,
  filterParam,
  limitParam,
  orderParam,
  streamParam,
  viewParam,
} from "./params.ts";

/** `query_records`: the records of a stream that meet conditions on granted scalar fields. */
export const queryRecordsOperation = defineOperation({
  name: "query_records",
  summary: "Lists a stream's records that meet conditions on granted scalar fields, in the requested order.",
  method: "GET",
  path: "/v1/streams/{stream}/query",
  kind: "client",
  input: z.object({
    stream: streamParam,
    connection_id: connectionParam,
    filter: filterParam,
    fields: fieldsParam,
    view: viewParam,
    order: orderParam,
    order_by: z
      .string()
      .min(1)
      .max(128)
      .describe("An aggregatable field; by default, the stream's cursor field.")
      .optional(),
    limit: limitParam(RECORD_PAGE),
    cursor: cursorParam,
  }),
  answer: "json",
  output: listSchema(recordSchema),
  errors: [...streamErrors, ...cursorErrors, "field_not_granted"],
});
