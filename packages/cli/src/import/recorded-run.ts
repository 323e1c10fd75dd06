import { type ImportResult, type OwnerContext, recordImport } from "@rungs/server";
import type { ImportPlan } from "./plan.ts";
import { type ImportObserver, runImport } from "./run.ts";

/** Records an import while it runs, so that `rungs imports` and the console can show it and the owner can stop it. */
export async function runRecorded(
  plan: ImportPlan,
  owner: OwnerContext,
  observer: ImportObserver,
): Promise<ImportResult> {
  const recorder = await recordImport(owner, { name: plan.path, origin: "command" });
  let items = 0;
  const onItem = () => {
    items += 1;
    recorder.report({ ...plan.files.progress, items });
    observer.onItem();
  };
  const stop = AbortSignal.any([recorder.stop, ...(observer.stop ? [observer.stop] : [])]);
  try {
    const result = await runImport(plan, owner, { ...observer, onItem, stop });
    const imports = [{ connection_id: plan.connection_id, ...result.tally }];
    await recorder.end({ state: result.is_finished ? "done" : "stopped", imports });
    return result;
  } catch (error) {
    await recorder.fail(error).catch(() => undefined);
    throw error;
  }
}
