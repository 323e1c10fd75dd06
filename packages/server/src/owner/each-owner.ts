/** Upkeep of every owner of a server. */
import { setTimeout as sleep } from "node:timers/promises";
import type { OwnerContext } from "./owner-context.ts";

/** The least time that a round spends for each of many owners, so that idle ones cost little. */
const OWNER_MS = 10;

/**
 * Calls `work` for one owner after the other until the signal aborts; starts over after `idle_ms`, or at once while some owner
 * has work left. Turns should be short, since the other owners wait. An error ends the turn, not the round.
 */
export async function repeatForEachOwner<Context extends OwnerContext>(
  context: Context,
  idle_ms: number,
  signal: AbortSignal,
  work: (owner: Context) => Promise<boolean>,
): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  while (!signal.aborted) {
    const owners = await context.store.listOwners().catch(() => []);
    let is_left = false;
    for (const owner_id of owners) {
      if (signal.aborted) return;
      if (await work({ ...context, owner_id }).catch(() => false)) is_left = true;
      else if (owners.length > 1) await pause(OWNER_MS);
    }
    if (!is_left) await pause(Math.max(0, idle_ms - OWNER_MS * (owners.length - 1)));
  }
}
