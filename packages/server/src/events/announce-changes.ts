/** Finds out which granted streams changed, by the same changes that the client can list: nothing else triggers an event (R54). */
import type { Sealer } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import type { Authority, StreamName } from "../access/authority.ts";
import { changesSince, createPager } from "../cursor/page-cursor.ts";
import { findChange, readHorizon } from "../records/horizon.ts";
import { createEvent } from "./create-event.ts";
import { formatStreamKey, type Progress, type Subscription } from "./subscriptions.ts";

interface AnnounceContext {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly authority: Authority;
  readonly now_ms: number;
}

/** Adds a message for each stream that changed. A message that waits still covers later changes: its cursor is older. */
export async function announceChanges(
  context: AnnounceContext,
  subscription: Subscription,
  progress: Progress,
): Promise<Progress> {
  const { store, authority, now_ms } = context;
  const positions = { ...progress.positions };
  const pending = [...progress.pending];
  const granted = new Set(authority.scope.streams.map(formatStreamKey));
  for (const name of subscription.streams) {
    const key = formatStreamKey(name);
    if (!granted.has(key)) continue;
    const since = positions[key] ?? (await readHorizon(store, authority.scope, name));
    const { hasChanged, position } = await findChange(store, authority.scope, name, since);
    if (position !== since || !(key in positions)) positions[key] = position;
    const isWaiting = pending.some(({ about }) => about && formatStreamKey(about) === key);
    if (!hasChanged || isWaiting) continue;
    const data = { ...name, changes_since: sealPosition(context, name, since) };
    pending.push({
      ...createEvent(subscription, "pdpp.records.changed", data, now_ms),
      about: { ...name, since },
    });
  }
  return { ...progress, positions, pending };
}

/** The cursor from which `list_records` lists the changes, for a list of all fields. */
function sealPosition(
  { sealer, authority, now_ms }: AnnounceContext,
  { connection_id, stream }: StreamName,
  since: number,
): string {
  const bound = [authority.grant_key, connection_id, stream, undefined];
  return createPager(changesSince, bound, { sealer, now_ms }).seal(since);
}
