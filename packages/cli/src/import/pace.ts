import type { CommandCall } from "../command/command.ts";
import { createProgress } from "../command/progress.ts";
import type { ImportPlan } from "./plan.ts";

/** Shows how far an import is and how fast, where somebody watches; `show` is called after each item. */
export function watchPace(call: CommandCall, { files }: ImportPlan) {
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

/** How far an import is. */
interface ImportPace {
  readonly read_bytes: number;
  readonly total_bytes: number;
  readonly items: number;
  /** What this run has read, which is less than `read_bytes` when it took up an earlier one. */
  readonly run_bytes: number;
  readonly run_ms: number;
}

/** Renders how far an import is, and how fast: `12.0 of 40.0 MB (30%), 5,120 items, 2,560 items/s, 6.0 MB/s`. */
function renderPace({ read_bytes, total_bytes, items, run_bytes, run_ms }: ImportPace): string {
  const seconds = Math.max(run_ms, 1) / 1000;
  const share = total_bytes === 0 ? 100 : Math.floor((100 * read_bytes) / total_bytes);
  return [
    `${megabytes(read_bytes)} of ${megabytes(total_bytes)} MB (${share}%)`,
    `${items.toLocaleString("en")} items`,
    `${Math.round(items / seconds).toLocaleString("en")} items/s`,
    `${megabytes(run_bytes / seconds)} MB/s`,
  ].join(", ");
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
