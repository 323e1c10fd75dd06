import { type ImportRun, isImportRunning, listImportRuns } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { readAsOwner } from "../home/database.ts";

const SHOWN = 50;

/** `rungs imports`: the running and past imports, newest first. */
export const imports: Command = {
  async run(call) {
    const runs = (await readAsOwner(call, listImportRuns)).slice(0, SHOWN);
    if (call.flag("json")) call.io.out(JSON.stringify({ imports: runs }));
    else if (runs.length === 0) call.io.out("Nothing was imported yet: rungs import adds data.");
    else
      call.io.out(
        renderTable(
          ["STARTED", "STATE", "ADDED", "CHANGED", "UNCHANGED", "REJECTED", "LEFT OUT", "WHAT"],
          runs.map(toRow),
        ),
      );
    return Exit.done;
  },
};

function toRow(run: ImportRun): string[] {
  const sum = (what: "added" | "changed" | "unchanged" | "rejected") =>
    String(run.imports.reduce((total, each) => total + each[what], 0));
  const { read_bytes, total_bytes } = run.progress;
  const percent = total_bytes === 0 ? "" : ` ${Math.floor((100 * read_bytes) / total_bytes)}%`;
  return [
    new Date(run.started_at_ms).toISOString().slice(0, 16).replace("T", " "),
    isImportRunning(run) ? `${run.state}${percent}` : run.state,
    sum("added"),
    sum("changed"),
    sum("unchanged"),
    sum("rejected"),
    String(run.left_out_count),
    run.name,
  ];
}
