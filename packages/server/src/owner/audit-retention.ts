/** How long the audit log is kept. */
import type { OwnerContext } from "./owner-context.ts";

const KIND = "setting";
const ID = "audit_retention";
const DAY_MS = 86_400_000;

/** A full year for comparison, plus a month. */
export const AUDIT_DAYS = 400;

/** For how many days the owner keeps the audit log. */
export async function getAuditDays({ store, owner_id }: OwnerContext): Promise<number> {
  const stored = await store.getState(owner_id, KIND, ID);
  return typeof stored?.value === "number" ? stored.value : AUDIT_DAYS;
}

/** Sets for how many days the audit log is kept, and deletes what is older; returns how many rows that were. */
export async function setAuditDays(owner: OwnerContext, days: number): Promise<number> {
  await owner.store.putState(owner.owner_id, { kind: KIND, id: ID, value: days });
  return expireAudit(owner);
}

/** The same for all owners of a server, each with their own retention. */
export async function expireAudits(context: OwnerContext): Promise<void> {
  for (const owner_id of await context.store.listOwners())
    await expireAudit({ ...context, owner_id }).catch(() => 0);
}

/** Deletes the rows past the owner's retention; returns how many. */
export async function expireAudit(owner: OwnerContext): Promise<number> {
  const before_ms = owner.now() - (await getAuditDays(owner)) * DAY_MS;
  return owner.store.expireAudit(owner.owner_id, before_ms);
}
