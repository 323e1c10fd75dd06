/** Finds out which granted streams changed, by the same changes that the client can list: nothing else moves an event (R54). */
import { ApiError } from "@rungs/contract";
import type { Sealer } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import type { Authority, StreamName } from "../access/authority.ts";
import { createPager } from "../cursor/page-cursor.ts";
import { changesSince } from "../cursor/page-kinds.ts";
import { readHorizon } from "../records/horizon.ts";
import { createEvent } from "./create-event.ts";
import { formatStreamKey, type Progress, type Subscription } from "./subscriptions.ts";

/** How far changes outside the grant may move on before a position without changes follows them. */
const FOLLOW = 1_000;

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
    const { hasChanged, horizon } = await look(context, name, since);
    if (hasChanged || horizon > since + FOLLOW || !(key in positions)) positions[key] = horizon;
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

/** A position that is too old counts as a change: its cursor tells the client to start over. */
async function look(
  { store, authority: { scope } }: AnnounceContext,
  name: StreamName,
  since: number,
): Promise<{ readonly hasChanged: boolean; readonly horizon: number }> {
  try {
    const { changes, horizon } = await store.listChanges(scope, { ...name, since, limit: 1 });
    return { hasChanged: changes.length > 0, horizon };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "cursor_expired") throw error;
    return { hasChanged: true, horizon: await readHorizon(store, scope, name) };
  }
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
