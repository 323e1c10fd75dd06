import { requireManifest } from "@rungs/contract";
import type { CommandCall } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { readJsonFile } from "../json-file.ts";
import { importPlan, type PathResult } from "./import-plan.ts";
import { planImport } from "./plan.ts";
import { createReportFile, type ReportFile } from "./report-file.ts";

/** Imports each path on its own, into a connection of its own unless one is named for all. */
export async function importPaths(call: CommandCall): Promise<number> {
  const reportFile = call.option("report");
  const report = reportFile === undefined ? undefined : createReportFile(reportFile);
  const results: PathResult[] = [];
  try {
    for (const path of call.operands) {
      const result = await importPath(call, path, report);
      results.push(result);
      if (!result.is_finished) break;
    }
  } finally {
    report?.close();
  }
  if (call.flag("json"))
    call.io.out(JSON.stringify(results.length === 1 ? results[0] : { imports: results }));
  return results.every(isGood) ? Exit.done : Exit.failed;
}

async function importPath(
  call: CommandCall,
  path: string,
  report: ReportFile | undefined,
): Promise<PathResult> {
  const manifestFile = call.option("manifest");
  const plan = await planImport(path, {
    format: call.option("as"),
    connection_id: call.option("connection"),
    label: call.option("label"),
    manifest: manifestFile === undefined ? undefined : requireManifest(readJsonFile(manifestFile)),
  });
  try {
    return await importPlan(call, plan, report);
  } finally {
    await plan.files.close();
  }
}

/** An import of which nothing at all could be taken has failed. */
function isGood({ is_finished, rejected, taken }: PathResult): boolean {
  return is_finished && (rejected === 0 || taken > 0);
}
