import { requireManifest } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { findOcr, isTimeZone, type OcrSetup } from "@rungs/importers";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { explainFailure } from "../command/failure.ts";
import { readJsonFile } from "../command/option-values.ts";
import { asOwner } from "../home/database.ts";
import { type ImportSummary, printOutcome } from "../import/outcome.ts";
import { type ImportPlan, type PathPlan, planImports } from "../import/plan.ts";
import { createImportProgress } from "../import/progress.ts";
import { runRecorded } from "../import/recorded-run.ts";
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
import { dryRunImport } from "../import/run.ts";
import { importForServer, isUploadProcess } from "../import/upload-process.ts";

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
    timezone: {
      type: "string",
      value: "ZONE",
      about: "the time zone of chats whose times have none, such as Europe/Berlin; UTC by default",
    },
    ocr: {
      type: "string",
      value: "LANG",
      about:
        "read the text in scans and pictures, such as eng or eng+deu, with Tesseract if you installed it",
    },
    "dry-run": { type: "boolean", about: "read everything and store nothing" },
  },
  run(call) {
    if (isUploadProcess(call)) return withInterrupt((stop) => importForServer(call, stop));
    return call.option("as") === "records" ? importRecords(call) : importPaths(call);
  },
};

/** Imports the paths one after the other, each into its own connections unless `--connection` names one for all. */
async function importPaths(call: CommandCall): Promise<number> {
  const reportFile = call.option("report");
  const report = reportFile === undefined ? undefined : createReportFile(reportFile);
  const outcome: ImportSummary = { imports: [], failures: [], left_out: [] };
  try {
    for (const path of call.operands) {
      await importPath(call, path, report, outcome);
      if (outcome.imports.some(({ is_finished }) => !is_finished)) break;
    }
  } finally {
    report?.close();
  }
  printOutcome(call, outcome);
  return outcome.failures.length === 0 && outcome.imports.every(isSuccess) ? Exit.done : Exit.failed;
}

async function importPath(
  call: CommandCall,
  path: string,
  report: ReportFile | undefined,
  outcome: ImportSummary,
): Promise<void> {
  const { plans, left_out, close } = await planPath(call, path, outcome);
  try {
    for (const { path: file, reason } of left_out) {
      outcome.left_out.push({ path, file, reason });
      report?.add({ path, place: file, code: "left_out", message: reason });
    }
    for (const [at, plan] of plans.entries()) {
      // The record of a path's first import lists the files of no known format.
      const unknown = at === 0 ? left_out : [];
      const isAlone = call.operands.length === 1 && plans.length === 1;
      const result = await orFailure(isAlone, plan.path, outcome, () =>
        importPlanned(call, plan, report, unknown),
      );
      if (result) outcome.imports.push(result);
      if (result && !result.is_finished) return;
    }
  } finally {
    await close();
  }
}

async function planPath(call: CommandCall, path: string, outcome: ImportSummary): Promise<PathPlan> {
  const manifestFile = call.option("manifest");
  const options = {
    format: call.option("as"),
    connection_id: call.option("connection"),
    label: call.option("label"),
    manifest: manifestFile === undefined ? undefined : requireManifest(readJsonFile(manifestFile)),
    time_zone: readTimeZone(call.option("timezone")),
    ocr: readOcr(call),
  };
  const isAlone = call.operands.length === 1;
  const planned = await orFailure(isAlone, path, outcome, () => planImports(path, options));
  return planned ?? { plans: [], left_out: [], close: async () => undefined };
}

function readOcr(call: CommandCall): OcrSetup | undefined {
  const languages = call.option("ocr");
  return languages === undefined ? undefined : findOcr(languages, call.io.env);
}

function readTimeZone(zone: string | undefined): string | undefined {
  if (zone === undefined || isTimeZone(zone)) return zone;
  throw new UsageError(`--timezone ${zone} is unknown. Name a zone such as Europe/Berlin.`);
}

/** A refusal does not keep the other paths and formats from being imported; alone it is thrown. */
async function orFailure<T>(
  is_alone: boolean,
  path: string,
  { failures }: ImportSummary,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (is_alone || !(error instanceof CodedError)) throw error;
    failures.push({ path, code: error.code, message: explainFailure(error).sentence });
    return undefined;
  }
}

async function importPlanned(
  call: CommandCall,
  plan: ImportPlan,
  report: ReportFile | undefined,
  left_out: PathPlan["left_out"],
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
  plan.notes.forEach(observer.note);
  try {
    const outcome = call.flag("dry-run")
      ? summarizeDryRun(plan, await dryRunImport(plan, observer))
      : summarizeRun(
          plan,
          await withInterrupt((stop) =>
            asOwner(call, (owner) => runRecorded(plan, owner, { ...observer, stop }, left_out)),
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
