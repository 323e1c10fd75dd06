/** Ids of lists, for the tests. */
import type { ReadScope } from "@rungs/contract";
import type { ListPosition, ListRequest, Store } from "../store.ts";

export const PAGE = { connection_id: "mail", stream: "messages", order: "asc", limit: 100 } as const;

export async function idsOf(
  store: Store,
  scope: ReadScope,
  request: Partial<ListRequest>,
): Promise<string[]> {
  const { records } = await store.listRecords(scope, { ...PAGE, ...request });
  return records.map(({ record_id }) => record_id);
}

export async function collect(
  store: Store,
  scope: ReadScope,
  request: Partial<ListRequest>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let after: ListPosition | undefined; ; ) {
    const page = await store.listRecords(scope, { ...PAGE, ...request, after });
    ids.push(...page.records.map(({ record_id }) => record_id));
    after = JSON.parse(JSON.stringify(page.next ?? null)) ?? undefined;
    if (!after) return ids;
  }
}
