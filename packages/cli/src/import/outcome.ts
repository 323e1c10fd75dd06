/** What one command imported, from all its paths. */
import { foldToLine } from "@rungs/evidence";
import type { CommandCall } from "../command/command.ts";
import { type PathResult, printLine } from "./report.ts";

/** The imports of a command, the paths and formats that failed, and the files that no format recognizes. */
export interface ImportSummary {
  readonly imports: PathResult[];
  readonly failures: { readonly path: string; readonly code: string; readonly message: string }[];
  readonly left_out: { readonly path: string; readonly file: string; readonly reason: string }[];
}

const SHOWN_FILES = 20;

/** Prints the summary: everything as JSON; as text, only what the single imports have not printed already. */
export function printOutcome(call: CommandCall, outcome: ImportSummary): void {
  const { imports, failures, left_out } = outcome;
  const [only, ...others] = imports;
  const isOne = only !== undefined && others.length === 0 && failures.length === 0;
  if (call.flag("json")) {
    const result = isOne
      ? { ...only, left_out }
      : { imports, failures, left_out, formats: countFormats(imports) };
    call.io.out(JSON.stringify(result));
    return;
  }
  for (const { path, message } of failures) call.io.err(foldToLine(`failed: ${path}: ${message}`));
  for (const { file, reason } of left_out.slice(0, SHOWN_FILES))
    call.io.err(foldToLine(`left out: ${file}: ${reason}`));
  const more = left_out.length - SHOWN_FILES;
  if (more > 0) call.io.err(`and ${more} more; --report FILE lists them all.`);
  if (!isOne || left_out.length > 0) printLine(call, renderSummary(outcome));
}

interface FormatCount {
  readonly files: number;
  readonly records: number;
  readonly rejected: number;
}

function countFormats(imports: readonly PathResult[]): Record<string, FormatCount> {
  const counts: Record<string, FormatCount> = {};
  for (const { format, file_count = 0, taken, rejected } of imports) {
    const { files = 0, records = 0, rejected: before = 0 } = counts[format] ?? {};
    counts[format] = { files: files + file_count, records: records + taken, rejected: before + rejected };
  }
  return counts;
}

/** `In all: mail 3 files, 120 records; calendar 1 file, 40 records; 2 files left out; 1 failed.` */
function renderSummary({ imports, failures, left_out }: ImportSummary): string {
  const formats = Object.entries(countFormats(imports)).map(
    ([format, { files, records }]) => `${format} ${countOf(files, "file")}, ${countOf(records, "record")}`,
  );
  const rest = [
    ...(left_out.length > 0 ? [`${countOf(left_out.length, "file")} left out`] : []),
    ...(failures.length > 0 ? [`${failures.length} failed`] : []),
  ];
  return `In all: ${[...formats, ...rest].join("; ")}.`;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
