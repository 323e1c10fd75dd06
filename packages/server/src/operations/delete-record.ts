import { ApiError } from "@rungs/contract";
import { requireRecord } from "../records/target.ts";
import type { Handler } from "./handler.ts";

/** `delete_record`: the owner deletes a record; it leaves a tombstone. */
export const handleDeleteRecord: Handler<"delete_record"> = async ({
  settings: { store },
  authority,
  input,
}) => {
  const { ref } = await requireRecord(authority, input, store);
  const deleted = await store.deleteRecord(authority.owner_id, ref.connection_id, ref.stream, ref.record_id);
  if (!deleted) throw new ApiError("not_found", { param: "id" });
  return { kind: "empty", status: 204, reads: [{ ...ref, records: 1 }] };
};
