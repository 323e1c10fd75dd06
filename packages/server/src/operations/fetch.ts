import { ApiError } from "@rungs/contract";
import { describeRecord } from "../records/outgoing-record.ts";
import { requireRecord } from "../records/target.ts";
import type { Handler } from "./handler.ts";

/** `fetch`: one record. */
export const fetchRecord: Handler<"fetch"> = async ({ settings: { store }, authority, input }) => {
  const target = await requireRecord(authority, input, store);
  const record = await store.getRecord(target.scope, target.ref, input.fields);
  if (!record) throw new ApiError("not_found", { param: "id" });
  return { kind: "json", body: describeRecord(record, target), reads: [{ ...target.ref, records: 1 }] };
};
