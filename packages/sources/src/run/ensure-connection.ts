import { withSourceId } from "@rungs/importers";
import type { SyncInput } from "@rungs/store";
import type { LiveSource } from "../live-source.ts";
import type { SyncOwner } from "./sync-owner.ts";

/** Creates the connection of a sync, or moves it to the current manifest of its source. */
export async function ensureConnection(
  { store, owner_id }: SyncOwner,
  { connection_id, settings }: Pick<SyncInput, "connection_id" | "settings">,
  source: LiveSource,
): Promise<void> {
  const known = (await store.listConnections(owner_id)).find((each) => each.connection_id === connection_id);
  const manifest = withSourceId(source.declare(settings), known?.source_id);
  await store.putManifest(owner_id, manifest);
  await store.putConnection(owner_id, {
    connection_id,
    source_id: manifest.source.id,
    declaration_version: manifest.declaration_version,
    display_name:
      known?.display_name ??
      `${manifest.display?.name ?? source.label}: ${source.describe(settings).account}`,
  });
}
