/** Brings the masked copies of records up to what the owner's grants mask (R82). */
import { keepForOwners } from "./each-owner.ts";
import type { OwnerContext } from "./owner-context.ts";

/** How often a server looks for grants that other processes made or ended. */
const IDLE_MS = 2_000;
/** How many steps an owner gets before the next has a turn. */
const TURN_STEPS = 8;

/** Copies until every grant that masks can be read; `watch` gets the number of records so far. */
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

/** Copies what owners' grants mask from now on, until the signal. */
export function keepCopyingMasked(context: OwnerContext, signal: AbortSignal): Promise<void> {
  return keepForOwners(context, IDLE_MS, signal, (owner) => copySome(owner, signal));
}

/** Copies for one turn; whether more is left. */
async function copySome({ store, owner_id }: OwnerContext, signal: AbortSignal): Promise<boolean> {
  for (let step = 0; step < TURN_STEPS; step += 1)
    if (signal.aborted || (await store.copyMasked(owner_id)).state !== "progress") return false;
  return true;
}
