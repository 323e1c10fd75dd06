/** Keeps derived data up to date with the owner's masking grants (R82) and rules by pattern (R81). */
import { repeatForEachOwner } from "./each-owner.ts";
import type { OwnerContext } from "./owner-context.ts";

/** How often a server polls for grants and rules that other processes made or ended. */
const IDLE_MS = 2_000;
/** How many steps an owner gets before it is the next one's turn. */
const TURN_STEPS = 8;

/** Copies until every masking grant is readable; `watch` gets the number of records so far. */
export async function copyMaskedRecords(
  { store, owner_id }: Pick<OwnerContext, "store" | "owner_id">,
  watch: (record_count: number) => void = () => undefined,
): Promise<void> {
  let copied = 0;
  for (;;) {
    const step = await store.copyMasked(owner_id);
    if (step.state === "complete") return;
    copied += step.record_count;
    watch(copied);
  }
}

/** Writes the masked copies of owners' grants, and applies their rules by pattern, until the signal aborts. */
export function keepRecordsReady(context: OwnerContext, signal: AbortSignal): Promise<void> {
  return repeatForEachOwner(context, IDLE_MS, signal, (owner) => workSome(owner, signal));
}

/** Works for one turn; returns whether more is left. */
async function workSome({ store, owner_id }: OwnerContext, signal: AbortSignal): Promise<boolean> {
  const isDone = async () =>
    signal.aborted ||
    ((await store.tagMatching(owner_id)).state === "complete" &&
      (await store.copyMasked(owner_id)).state === "complete");
  for (let step = 0; step < TURN_STEPS; step += 1) if (await isDone()) return false;
  return true;
}
