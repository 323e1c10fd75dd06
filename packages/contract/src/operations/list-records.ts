import { z } from "zod";
import { listSchema, RECORD_PAGE } from "../pagination/pagination.ts";
import { recordSchema, tombstoneSchema } from "../record/record.ts";
import { cursorErrors, streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import {
  connectionParam,
  cursorParam,
  fieldsParam,
  limitParam,
  orderParam,
  streamParam,
  viewParam,
} from "./params.ts";

/** `list_records`: the records of a stream in order, or the changes since an earlier list. */
export const listRecordsOperation = defineOperation({
  name: "list_records",
  summary: "Lists a stream's records by its cursor field, or what changed since an earlier list.",
  method: "GET",
  path: "/v1/streams/{stream}/records",
  kind: "client",
  input: z.object({
    stream: streamParam,
    connection_id: connectionParam,
    fields: fieldsParam,
    view: viewParam,
    order: orderParam,
    limit: limitParam(RECORD_PAGE),
    cursor: cursorParam,
    count: z
      .enum(["none", "exact"])
      .describe("exact: meta.count says how many granted records the stream has; not with changes_since.")
      .optional(),
    changes_since: z.string().min(1).max(8192).describe("next_changes_since of an earlier list.").optional(),
  }),
  answer: "json",
  output: listSchema(z.union([tombstoneSchema, recordSchema])),
  errors: [...streamErrors, ...cursorErrors, "field_not_granted"],
});
