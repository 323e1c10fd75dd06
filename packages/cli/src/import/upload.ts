import type { ImportFile } from "@rungs/console";
import type { ImportedConnection, OwnerContext } from "@rungs/server";
import { planImports } from "./plan.ts";
import { describeRecognised } from "./recorded-run.ts";
import { runImport } from "./run.ts";

/** Imports a file that was uploaded to the console, exactly as `rungs import` does, in this process. */
export function createUploadImport(owner: OwnerContext): ImportFile {
  return async ({ path, label, format, is_look, stop }, report) => {
    const options = { format, connection_id: undefined, manifest: undefined, label };
    const { plans, left_out, close } = await planImports(path, options);
    try {
      const recognised = plans.map(describeRecognised);
      if (is_look) return { state: "done", imports: [], recognised, left_out };
      const imports: ImportedConnection[] = [];
      for (const plan of plans) {
        if (stop.aborted) break;
        let items = 0;
        const onItem = () => {
          items += 1;
          report({ ...plan.files.progress, items });
        };
        const observer = { note: () => undefined, onItem, onRejected: undefined, stop };
        const { tally } = await runImport(plan, owner, observer);
        imports.push({ connection_id: plan.connection_id, ...tally });
      }
      return { state: stop.aborted ? "stopped" : "done", imports, recognised, left_out };
    } finally {
      await close();
    }
  };
}
