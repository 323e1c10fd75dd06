/** Brings the masked copies of records up to what the owner's grants mask (R82). */
import { setTimeout as sleep } from "node:timers/promises";
import type { OwnerContext } from "./owner-context.ts";

/** How often a server looks for grants that other processes made or ended. */
const IDLE_MS = 2_000;

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

/** Copies what grants mask from now on, until the signal. Errors of the database end a round, not the worker. */
export async function keepCopyingMasked(owner: OwnerContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await copySome(owner, signal).catch(() => undefined);
    await sleep(IDLE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function copySome({ store, owner_id }: OwnerContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await store.copyMasked(owner_id)).state === "progress");
}
