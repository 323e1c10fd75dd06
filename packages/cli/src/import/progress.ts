import { foldToLine } from "@rungs/evidence";
import type { CommandCall } from "../command/command.ts";
import type { ImportPlan } from "./plan.ts";

/** A terminal is redrawn often; a log gets an occasional line, so that short imports stay quiet. */
const REDRAW_MS = 200;
const LINE_MS = 10_000;

/** The progress of an import. */
export interface ImportPace {
  readonly read_bytes: number;
  readonly total_bytes: number;
  readonly items: number;
  /** Per second, over the whole run. */
  readonly items_per_second: number;
  readonly bytes_per_second: number;
  /** Undefined until the rate is known. */
  readonly seconds_left?: number | undefined;
  /** The file that is being read. */
  readonly path?: string | undefined;
}

/**
 * Shows the progress of an import; call `show` after each item. A terminal has one line that is redrawn, other outputs a
 * line every ten seconds, and with `--json` an event on standard error.
 */
export function createImportProgress(call: CommandCall, { files, path: plan_path }: ImportPlan) {
  const { watch, err } = call.io;
  const started_ms = Date.now();
  const isRedrawn = watch !== undefined && !call.flag("json");
  // A terminal shows the first item at once.
  let [items, shown_ms] = [0, isRedrawn ? 0 : started_ms];
  let began_bytes: number | undefined;
  const print = (pace: ImportPace): void => {
    if (call.flag("json")) err(JSON.stringify({ event: "progress", import: plan_path, ...pace }));
    else if (watch) watch(renderPace(pace));
    else err(renderPace(pace));
  };
  const pause_ms = isRedrawn ? REDRAW_MS : LINE_MS;
  return {
    show(): void {
      began_bytes ??= files.progress.read_bytes;
      items += 1;
      const now_ms = Date.now();
      if (now_ms - shown_ms < pause_ms) return;
      shown_ms = now_ms;
      print(measurePace({ ...files.progress, items, began_bytes, run_ms: now_ms - started_ms }));
    },
    done: () => watch?.(""),
  };
}

interface Progress {
  readonly read_bytes: number;
  readonly total_bytes: number;
  readonly path?: string | undefined;
  readonly items: number;
  /** Progress before the first item: a resumed import does not read that again. */
  readonly began_bytes: number;
  readonly run_ms: number;
}

/** Measures the rates and the time that is left. */
export function measurePace({
  read_bytes,
  total_bytes,
  path,
  items,
  began_bytes,
  run_ms,
}: Progress): ImportPace {
  const seconds = Math.max(run_ms, 1) / 1000;
  const bytes_per_second = Math.round((read_bytes - began_bytes) / seconds);
  const left_bytes = Math.max(0, total_bytes - read_bytes);
  return {
    read_bytes,
    total_bytes,
    items,
    items_per_second: Math.round(items / seconds),
    bytes_per_second,
    ...(bytes_per_second > 0 ? { seconds_left: Math.ceil(left_bytes / bytes_per_second) } : {}),
    ...(path === undefined ? {} : { path }),
  };
}

/** Renders it: `12.0 of 40.0 MB (30%), 5,120 items, 2,560 items/s, 6.0 MB/s, 5 s left, inbox.mbox`. */
export function renderPace(pace: ImportPace): string {
  const { read_bytes, total_bytes, items, items_per_second, bytes_per_second, seconds_left, path } = pace;
  const percent =
    total_bytes === 0 ? 100 : Math.floor((100 * Math.min(read_bytes, total_bytes)) / total_bytes);
  return [
    `${formatMegabytes(read_bytes)} of ${formatMegabytes(total_bytes)} MB (${percent}%)`,
    `${items.toLocaleString("en")} items`,
    `${items_per_second.toLocaleString("en")} items/s`,
    `${formatMegabytes(bytes_per_second)} MB/s`,
    ...(seconds_left === undefined ? [] : [`${formatDuration(seconds_left)} left`]),
    ...(path === undefined ? [] : [foldPath(path)]),
  ].join(", ");
}

const PATH_CHARS = 40;

/** The end of a long path, on one line. */
function foldPath(path: string): string {
  const line = foldToLine(path);
  return line.length <= PATH_CHARS ? line : `…${line.slice(1 - PATH_CHARS)}`;
}

function formatMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function formatDuration(seconds: number): string {
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
