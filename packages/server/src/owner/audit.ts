import type { AuditFilter, StoredAuditEntry } from "@rungs/store";
import type { OwnerParts } from "./owner-context.ts";

/** Who read what and when, and what became of the owner's control, newest first (R55). */
export function listAudit(
  { store, owner_id }: Pick<OwnerParts, "store" | "owner_id">,
  filter: AuditFilter,
): Promise<StoredAuditEntry[]> {
  return store.listAudit(owner_id, filter);
}
