import type { ImportFile } from "@rungs/console";
import type { OwnerParts } from "@rungs/server";
import { planImport } from "../import/plan.ts";
import { runPlan } from "../import/run-plan.ts";

/** Imports what the console was sent, exactly as `rungs import` does. */
export function createImportFile(parts: OwnerParts): ImportFile {
  return async ({ path, label }, report) => {
    const options = { format: undefined, connection_id: undefined, manifest: undefined, label };
    const plan = await planImport(path, options);
    try {
      const { tally } = await runPlan(plan, parts, {
        note: () => undefined,
        onItem: () => report({ ...plan.files.progress }),
        onRejected: undefined,
        stop: undefined,
      });
      return { connection_id: plan.connection_id, ...tally };
    } finally {
      await plan.files.close();
    }
  };
}
