import type { CommandCall } from "../command/command.ts";
import { createProgress } from "../command/progress.ts";
import type { ImportPlan } from "./plan.ts";

/** Shows the progress and rate of an import on a terminal; call `show` after each item. */
export function createImportProgress(call: CommandCall, { files }: ImportPlan) {
  const started_ms = Date.now();
  let items = 0;
  let began_bytes: number | undefined;
  const { show, done } = createProgress(call, () => {
    const { read_bytes, total_bytes } = files.progress;
    const run_bytes = read_bytes - (began_bytes ?? 0);
    return renderPace({ read_bytes, total_bytes, items, run_bytes, run_ms: Date.now() - started_ms });
  });
  return {
    show() {
      began_bytes ??= files.progress.read_bytes;
      items += 1;
      show(items);
    },
    done,
  };
}

interface ImportPace {
  readonly read_bytes: number;
  readonly total_bytes: number;
  readonly items: number;
  /** What this run has read: less than `read_bytes` in a resumed import. */
  readonly run_bytes: number;
  readonly run_ms: number;
}

/** Renders progress and rate: `12.0 of 40.0 MB (30%), 5,120 items, 2,560 items/s, 6.0 MB/s`. */
function renderPace({ read_bytes, total_bytes, items, run_bytes, run_ms }: ImportPace): string {
  const seconds = Math.max(run_ms, 1) / 1000;
  const percent = total_bytes === 0 ? 100 : Math.floor((100 * read_bytes) / total_bytes);
  return [
    `${formatMegabytes(read_bytes)} of ${formatMegabytes(total_bytes)} MB (${percent}%)`,
    `${items.toLocaleString("en")} items`,
    `${Math.round(items / seconds).toLocaleString("en")} items/s`,
    `${formatMegabytes(run_bytes / seconds)} MB/s`,
  ].join(", ");
}

function formatMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
