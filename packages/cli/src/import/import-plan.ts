import { foldToLine } from "@rungs/evidence";
import type { CommandCall } from "../command/command.ts";
import { asOwner } from "../home/database.ts";
import { tryPlan } from "./dry-run.ts";
import { withInterrupt } from "./interrupt.ts";
import { watchPace } from "./pace.ts";
import type { ImportPlan } from "./plan.ts";
import type { ReportFile } from "./report-file.ts";
import { runPlan } from "./run-plan.ts";
import { renderCounts, renderFields, renderRejections } from "./summary.ts";

/** What one path came to: what `--json` prints, with the counts and the rejections. */
export interface PathResult {
  readonly path: string;
  readonly format: string;
  readonly connection_id: string;
  readonly notes: readonly string[];
  readonly is_finished: boolean;
  /** Records that are stored now, or would be. */
  readonly taken: number;
  readonly rejected: number;
}

/** Does what was planned, and tells of it on the way and at the end. */
export async function importPlan(
  call: CommandCall,
  plan: ImportPlan,
  report: ReportFile | undefined,
): Promise<PathResult> {
  const { path, importer, connection_id } = plan;
  const say = call.flag("json") ? () => undefined : (line: string) => call.io.out(foldToLine(line));
  const notes: string[] = [];
  const progress = watchPace(call, plan);
  const note = (sentence: string) => {
    notes.push(sentence);
    progress.done();
    say(sentence);
  };
  const common = { path, format: importer.id, connection_id, notes };
  const run = { call, plan, report, say, note, onItem: progress.show };
  const work = call.flag("dry-run") ? dryRun(run) : withInterrupt((stop) => fullRun(run, stop));
  const result = await work.finally(progress.done);
  for (const line of renderRejections(result.rejections, result.rejected)) call.io.err(foldToLine(line));
  for (const line of result.lines) say(line);
  const { lines: _, ...facts } = result;
  return { ...common, ...facts };
}

interface Run {
  readonly call: CommandCall;
  readonly plan: ImportPlan;
  readonly report: ReportFile | undefined;
  readonly say: (line: string) => void;
  readonly note: (sentence: string) => void;
  readonly onItem: () => void;
}

function announce({ plan, say }: Run): void {
  const { path, importer, connection_id, manifest, is_inferred } = plan;
  say(`${path}: ${importer.label}, into the connection ${connection_id}`);
  if (!is_inferred) return;
  say("Columns, as inferred (--manifest FILE says otherwise; --dry-run --json prints what to put there):");
  for (const line of renderFields(manifest)) say(`  ${line}`);
}

async function fullRun(run: Run, stop: AbortSignal) {
  const { call, plan, report, note, onItem } = run;
  const { path, connection_id } = plan;
  announce(run);
  const onRejected = report && ((rejection: object) => report.add({ path, connection_id, ...rejection }));
  const { tally, is_resumed, is_finished } = await asOwner(call, (parts) =>
    runPlan(plan, parts, { note, onItem, onRejected, stop }),
  );
  const next = is_finished
    ? `Next: rungs grant create --client NAME --allow '${connection_id}/*'`
    : "Stopped. Run the same command again to go on from here.";
  return {
    ...tally,
    taken: tally.added + tally.changed + tally.unchanged,
    is_resumed,
    is_finished,
    lines: [...(is_resumed ? ["Went on where an earlier run was left."] : []), renderCounts(tally), next],
  };
}

async function dryRun(run: Run) {
  const { plan, report, note, onItem } = run;
  const { path, connection_id, manifest } = plan;
  announce(run);
  const onRejected = (rejection: object) => report?.add({ path, connection_id, ...rejection });
  const { streams, rejected, rejections } = await tryPlan(plan, { note, onItem, onRejected });
  const counts = Object.entries(streams).map(([stream, count]) => `${count} in ${stream}`);
  const taken = Object.values(streams).reduce((sum, count) => sum + count, 0);
  const line = `Nothing was stored. There are ${counts.join(", ") || "no records"}, ${rejected} rejected.`;
  return { manifest, streams, taken, rejected, rejections, is_finished: true, lines: [line] };
}
