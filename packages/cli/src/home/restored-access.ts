/**
 * What a restore carries over from the replaced database: who may read, and what was deleted since the backup (R52,
 * R73).
 */
import type { Store } from "@rungs/store";

/** Whose access a restored database has. */
export type RestoredAccess =
  /** That of the replaced database. */
  | { readonly kind: "current"; readonly deleted_records: number; readonly deleted_connections: number }
  /** None: every grant, token and session ended. */
  | { readonly kind: "none" }
  /** That of the backup, as the owner asked. */
  | { readonly kind: "backup" };

interface AccessOptions {
  /** The replaced database; undefined when there is none or it cannot be read. */
  readonly current: Store | undefined;
  readonly keep_grants: boolean;
  readonly with_deleted: boolean;
}

const AUDIT_PAGE = 500;

/** Decides who may read a restored database. */
export async function carryOverAccess(
  restored: Store,
  { current, keep_grants, with_deleted }: AccessOptions,
): Promise<RestoredAccess> {
  if (keep_grants) {
    await restored.moveChangesOn();
    return { kind: "backup" };
  }
  if (!current || !(await restored.takeAccessOf(current))) {
    await restored.endAllAccess();
    await restored.moveChangesOn();
    return { kind: "none" };
  }
  let [deleted_records, deleted_connections] = [0, 0];
  for (const owner_id of with_deleted ? [] : await restored.listOwners()) {
    deleted_connections += await deleteConnections(restored, current, owner_id);
    const known = new Set(
      (await restored.listConnections(owner_id)).map(({ connection_id }) => connection_id),
    );
    for await (const { connection_id, stream, record_ids } of current.listDeleted(owner_id))
      if (known.has(connection_id))
        deleted_records += await restored.deleteRecords(owner_id, connection_id, stream, record_ids);
    await restored.purge(owner_id);
  }
  return { kind: "current", deleted_records, deleted_connections };
}

/**
 * Deletes the connections that the owner deleted since the backup, according to the audit log of the current database.
 */
async function deleteConnections(restored: Store, current: Store, owner_id: string): Promise<number> {
  const kept = new Set((await current.listConnections(owner_id)).map(({ connection_id }) => connection_id));
  const absent = (await restored.listConnections(owner_id)).filter(
    ({ connection_id }) => !kept.has(connection_id),
  );
  if (absent.length === 0) return 0;
  const deleted = await listDeletedConnections(current, owner_id);
  const gone = absent.filter(({ connection_id }) => deleted.has(connection_id));
  for (const { connection_id } of gone) await restored.deleteConnection(owner_id, connection_id);
  return gone.length;
}

async function listDeletedConnections(store: Store, owner_id: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (let before_audit_id: number | undefined; ; ) {
    const page = await store.listAudit(owner_id, { limit: AUDIT_PAGE, before_audit_id, client_id: "owner" });
    for (const { operation, connection_id } of page)
      if (operation === "connection_deleted" && connection_id !== undefined) found.add(connection_id);
    before_audit_id = page.at(-1)?.audit_id;
    if (page.length < AUDIT_PAGE) return found;
  }
}
