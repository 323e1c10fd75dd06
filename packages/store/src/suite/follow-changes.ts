/** Sessions of changes, for the tests. */
import type { ReadScope } from "@rungs/contract";
import type { Change, ChangesPage, ChangesPosition, ChangesRequest, Store } from "../store.ts";

export function changes(
  store: Store,
  scope: ReadScope,
  request: Partial<ChangesRequest> = {},
): Promise<ChangesPage> {
  return store.listChanges(scope, {
    connection_id: "mail",
    stream: "messages",
    since: 0,
    limit: 100,
    ...request,
  });
}

/** Record ids; those of tombstones have a `-` prefix. */
export function namesOf(all: readonly Change[]): string[] {
  return all.map((change) => (change.kind === "record" ? change.record.record_id : `-${change.record_id}`));
}

export function recordOf(change: Change | undefined) {
  return change?.kind === "record" ? change.record : undefined;
}

/** Brings a client's copy up to date, two changes at a time. */
export async function follow(
  store: Store,
  scope: ReadScope,
  since: number,
  copy: Map<string, unknown>,
  stream = "messages",
): Promise<number> {
  let [after, horizon]: [ChangesPosition | undefined, number | undefined] = [undefined, undefined];
  do {
    const page: ChangesPage = await changes(store, scope, { stream, since, after, horizon, limit: 2 });
    for (const change of page.changes) {
      if (change.kind === "record") copy.set(change.record.record_id, change.record.data);
      else copy.delete(change.record_id);
    }
    after = page.next;
    horizon = page.horizon;
  } while (after);
  return horizon;
}
