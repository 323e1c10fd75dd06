/** What an import prints: its plan at the start, notes on the way, and at the end the counts and what was rejected. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { Manifest } from "@rungs/contract";
import { foldToLine } from "@rungs/evidence";
import type { Detection } from "@rungs/importers";
import type { ImportResult, ItemPlace, Tally } from "@rungs/server";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import type { ImportPlan } from "./plan.ts";
import type { DryRun } from "./run.ts";

const SHOWN_REJECTIONS = 20;

/** The result of one path, as `--json` prints it with the counts and the rejections. */
export interface PathResult {
  readonly path: string;
  readonly format: string;
  readonly connection_id: string;
  /** Why the files were taken for the format, and in how many; absent if the owner named it. */
  readonly detection: Detection | undefined;
  readonly file_count: number | undefined;
  readonly notes: readonly string[];
  readonly is_finished: boolean;
  /** Records that are stored now, or that a full run would store. */
  readonly taken: number;
  readonly rejected: number;
}

/** The result of a run, and the last lines of its output. */
type Outcome = Pick<PathResult, "is_finished" | "taken" | "rejected"> & {
  readonly rejections: readonly Rejected[];
  readonly lines: readonly string[];
};

interface Rejected {
  readonly place: string;
  readonly message: string;
}

/** Prints one line unless the output is JSON. */
export function printLine(call: CommandCall, line: string): void {
  if (!call.flag("json")) call.io.out(foldToLine(line));
}

/** Prints what is about to be imported, and the columns where they were inferred. */
export function announceImport(call: CommandCall, plan: ImportPlan): void {
  const { path, importer, connection_id, manifest, is_inferred, detection } = plan;
  printLine(call, `${path}: ${importer.label}, into the connection ${connection_id}`);
  if (call.flag("dry-run") && detection)
    printLine(call, `Detected by ${detection.confidence}: ${detection.reason}.`);
  if (!is_inferred) return;
  printLine(
    call,
    "Columns, as inferred (--manifest FILE overrides them; --dry-run --json prints a manifest to start from):",
  );
  for (const line of renderFields(manifest)) printLine(call, `  ${line}`);
}

/** Prints the rejections and the summary, and returns the result. */
export function reportImport(
  call: CommandCall,
  { path, importer, connection_id, detection, file_count }: ImportPlan,
  notes: readonly string[],
  { lines, ...facts }: Outcome,
): PathResult {
  for (const line of renderRejections(facts.rejections, facts.rejected)) call.io.err(foldToLine(line));
  for (const line of lines) printLine(call, line);
  return { path, format: importer.id, connection_id, detection, file_count, notes, ...facts };
}

/** Summarizes a full run. */
export function summarizeRun({ connection_id }: ImportPlan, result: ImportResult) {
  const { tally, is_resumed, is_finished } = result;
  const next = is_finished
    ? `Next: rungs grant create --client NAME --allow '${connection_id}/*'`
    : "Stopped. Run the same command again to resume.";
  return {
    ...tally,
    taken: tally.added + tally.changed + tally.unchanged,
    is_resumed,
    is_finished,
    lines: [...(is_resumed ? ["Resumed an earlier run."] : []), renderCounts(tally), next],
  };
}

/** Summarizes a dry run. */
export function summarizeDryRun({ manifest }: ImportPlan, { streams, rejected, rejections }: DryRun) {
  const counts = Object.entries(streams).map(([stream, count]) => `${count} in ${stream}`);
  const taken = Object.values(streams).reduce((sum, count) => sum + count, 0);
  const line = `Nothing was stored. There are ${counts.join(", ") || "no records"}, ${rejected} rejected.`;
  return { manifest, streams, taken, rejected, rejections, is_finished: true, lines: [line] };
}

function renderCounts({ added, changed, unchanged, rejected }: Tally<ItemPlace>): string {
  return `${added} added, ${changed} changed, ${unchanged} unchanged, ${rejected} rejected`;
}

/** Renders the first rejections, each with its place and reason. */
function renderRejections(rejections: readonly Rejected[], rejected: number): string[] {
  const shown = rejections.slice(0, SHOWN_REJECTIONS);
  const lines = shown.map(({ place, message }) => `rejected: ${place}: ${message}`);
  const more = rejected - lines.length;
  if (more > 0) lines.push(`and ${more} more; --report FILE lists them all.`);
  return lines;
}

/** Renders an inferred manifest, one line per stream. */
function renderFields({ streams }: Manifest): string[] {
  return streams.map(({ name, primary_key, schema }) => {
    const properties = typeof schema === "boolean" ? {} : (schema.properties ?? {});
    const fields = Object.entries(properties).map(([field, shape]) => {
      const { type = "any", format } = typeof shape === "boolean" ? {} : shape;
      const key = primary_key.includes(field) ? ", key" : "";
      return `${field} (${format ?? [type].flat().join(" or ")}${key})`;
    });
    return `${name}: ${fields.join(", ")}`;
  });
}

/** The file of `--report`: every rejected item as one line of JSON. */
export interface ReportFile {
  add(rejection: object): void;
  close(): void;
}

/** Creates the report file; replaces an older one. */
export function createReportFile(file: string): ReportFile {
  const handle = openReport(file);
  return {
    add: (rejection) => writeSync(handle, `${JSON.stringify(rejection)}\n`),
    close: () => closeSync(handle),
  };
}

function openReport(file: string): number {
  try {
    return openSync(file, "w", 0o600);
  } catch (error) {
    throw new UsageError(`The report ${file} cannot be written (${(error as Error).message}).`);
  }
}
