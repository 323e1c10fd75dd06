import { type ImportResult, type ImportRun, type OwnerContext, recordImport } from "@rungs/server";
import type { ImportPlan } from "./plan.ts";
import { type ImportObserver, runImport } from "./run.ts";

/** The detected format of a plan's files, and why. */
export function describeRecognised({ importer, files, file_count, detection }: ImportPlan) {
  return { label: importer.label, path: files.name, file_count, reason: detection?.reason };
}

/**
 * Runs an import under a record, by which `rungs imports` and the console show it and the owner can stop it. `left_out` are the
 * files at its path that no format knows.
 */
export async function runRecorded(
  plan: ImportPlan,
  owner: OwnerContext,
  observer: ImportObserver,
  left_out: ImportRun["left_out"] = [],
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
    const state = result.is_finished ? "done" : "stopped";
    await recorder.end({ state, imports, recognised: [describeRecognised(plan)], left_out });
    return result;
  } catch (error) {
    await recorder.fail(error).catch(() => undefined);
    throw error;
  }
}
