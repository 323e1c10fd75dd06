import { requireManifest } from "@rungs/contract";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { readJsonFile } from "../command/option-values.ts";
import { asOwner } from "../home/database.ts";
import { type ImportPlan, planImport } from "../import/plan.ts";
import { createImportProgress } from "../import/progress.ts";
import { importRecords } from "../import/records.ts";
import {
  announceImport,
  createReportFile,
  type PathResult,
  printLine,
  type ReportFile,
  reportImport,
  summarizeDryRun,
  summarizeRun,
} from "../import/report.ts";
import { dryRunImport, runImport } from "../import/run.ts";

/** `rungs import`: imports export files, and records of other programs; idempotent. */
export const importFiles: Command = {
  options: {
    as: {
      type: "string",
      value: "FORMAT",
      about: "the format, if detection from the content fails; records: NDJSON envelopes under --manifest",
    },
    connection: {
      type: "string",
      value: "ID",
      about: "the connection to import into, created if new; derived from format and file name by default",
    },
    label: { type: "string", value: "TEXT", about: "a display name for the connection" },
    manifest: { type: "string", value: "FILE", about: "the source declaration, for records and tables" },
    report: {
      type: "string",
      value: "FILE",
      about: "write every rejected item with its place and reason to this file",
    },
    "dry-run": { type: "boolean", about: "read everything and store nothing" },
  },
  run: (call) => (call.option("as") === "records" ? importRecords(call) : importPaths(call)),
};

/** Imports the paths one after the other, each into its own connection unless `--connection` names one for all. */
async function importPaths(call: CommandCall): Promise<number> {
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
  return results.every(isSuccess) ? Exit.done : Exit.failed;
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
    return await importPlanned(call, plan, report);
  } finally {
    await plan.files.close();
  }
}

async function importPlanned(
  call: CommandCall,
  plan: ImportPlan,
  report: ReportFile | undefined,
): Promise<PathResult> {
  const { path, connection_id } = plan;
  const progress = createImportProgress(call, plan);
  const notes: string[] = [];
  const observer = {
    onItem: progress.show,
    // With a callback, an import that rejected more than is kept starts over instead of resuming.
    onRejected: report && ((rejection: object) => report.add({ path, connection_id, ...rejection })),
    note(sentence: string) {
      notes.push(sentence);
      progress.done();
      printLine(call, sentence);
    },
  };
  announceImport(call, plan);
  try {
    const outcome = call.flag("dry-run")
      ? summarizeDryRun(plan, await dryRunImport(plan, observer))
      : summarizeRun(
          plan,
          await withInterrupt((stop) =>
            asOwner(call, (owner) => runImport(plan, owner, { ...observer, stop })),
          ),
        );
    progress.done();
    return reportImport(call, plan, notes, outcome);
  } finally {
    progress.done();
  }
}

/** Runs work that the first Ctrl-C stops at the next batch; a second one ends the process at once. */
async function withInterrupt<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.removeListener(signal, stop);
  }
}

/** An import fails if it was stopped, or if every item was rejected. */
function isSuccess({ is_finished, rejected, taken }: PathResult): boolean {
  return is_finished && (rejected === 0 || taken > 0);
}
