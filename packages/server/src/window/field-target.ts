import { ApiError } from "@rungs/contract";
import { formatFieldPath, formatRecordId, requireFieldPath, type WindowTarget } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import type { Authority } from "../access/authority.ts";
import { type RecordTarget, requireRecord } from "../records/target.ts";

/** One granted field of one record, which may not exist. */
export interface FieldTarget extends RecordTarget {
  /** In canonical form, as in stores and cursors. */
  readonly field_path: string;
  /** What the cursors of its windows are bound to. */
  readonly cursor: WindowTarget;
}

interface FieldChoice {
  readonly stream: string;
  readonly id: string;
  readonly connection_id?: string | undefined;
  readonly field_path: string;
}

/** Resolves the field that a request is about. The grant is checked by the top-level field (R26), whether or not the value exists. */
export async function requireField(
  authority: Authority,
  { field_path: written, ...choice }: FieldChoice,
  store: Store,
): Promise<FieldTarget> {
  const path = requireFieldPath(written);
  const record = await requireRecord(authority, choice, store);
  if (!record.limits.fields.includes(String(path[0]))) {
    throw new ApiError("field_not_granted", { param: "field_path" });
  }
  const field_path = formatFieldPath(path);
  const cursor = { ...record.ref, field_path, grant_key: authority.grant_key };
  return { ...record, field_path, cursor };
}

/** Identifies the record and the field in an error: the grant covers both. */
export function identifyField({ ref, field_path }: FieldTarget): { id: string; field_path: string } {
  return { id: formatRecordId(ref), field_path };
}

/** Explains what is missing: the record, or a value at the path. */
export async function explainMissing(target: FieldTarget, store: Store): Promise<ApiError> {
  const record = await store.getRecord(target.scope, target.ref, []);
  if (!record) return new ApiError("not_found", { param: "id" });
  return new ApiError("not_found", {
    ...identifyField(target),
    param: "field_path",
    message: "The record has no value at this path.",
    next: "Fetch the record to see which fields it has.",
  });
}
