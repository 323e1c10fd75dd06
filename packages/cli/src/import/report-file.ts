import { closeSync, openSync, writeSync } from "node:fs";
import { UsageError } from "../command/exit.ts";

/** A file that names everything that was not taken, one on each line as JSON. */
export interface ReportFile {
  add(rejection: object): void;
  close(): void;
}

/** Begins a report, in place of an older one of this name. */
export function createReportFile(file: string): ReportFile {
  const handle = open(file);
  return {
    add: (rejection) => writeSync(handle, `${JSON.stringify(rejection)}\n`),
    close: () => closeSync(handle),
  };
}

function open(file: string): number {
  try {
    return openSync(file, "w", 0o600);
  } catch (error) {
    throw new UsageError(`The report ${file} cannot be written (${(error as Error).message}).`);
  }
}
