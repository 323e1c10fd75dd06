import { formatWriter } from "../access/writer.ts";
import { COLLECTION_STATE, formatStateId } from "../ingest/collection-state.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Ends what writes to a connection before it is deleted: its write-only tokens, and what its connector stored. */
export async function endCollection(
  { store, owner_id, now }: OwnerContext,
  connection_id: string,
): Promise<void> {
  const at = new Date(now()).toISOString();
  const client_id = formatWriter(connection_id);
  for (const token of await store.listTokens(owner_id))
    if (token.kind === "writer" && token.client_id === client_id)
      await store.revokeToken(owner_id, token.digest, at);
  const prefix = formatStateId(connection_id, undefined);
  for (const { id } of await store.listState(owner_id, COLLECTION_STATE))
    if (id.startsWith(prefix)) await store.deleteState(owner_id, COLLECTION_STATE, id);
}
