import { z } from "zod";
import { ownerErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, recordIdParam, streamParam } from "./params.ts";

/** `delete_record`: the owner deletes a record; it leaves a tombstone. */
export const deleteRecordOperation = defineOperation({
  name: "delete_record",
  summary: "Deletes one record for its owner.",
  method: "DELETE",
  path: "/v1/streams/{stream}/records/{id}",
  kind: "owner",
  input: z.object({ stream: streamParam, id: recordIdParam, connection_id: connectionParam }),
  answer: "empty",
  output: z.undefined(),
  errors: [...ownerErrors, "ambiguous_connection", "not_found"],
});
