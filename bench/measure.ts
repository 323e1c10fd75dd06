import { say } from "./figures.ts";

/**
 * Times in milliseconds, reported as medians: machines are shared, so only figures from the same run are comparable.
 */
export interface Timing {
  readonly median: number;
  readonly p95: number;
}

/** Runs `work` once for each input, `rounds` times over, and times each. */
export async function time<T>(
  inputs: readonly T[],
  rounds: number,
  work: (input: T) => unknown,
): Promise<Timing> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const input of inputs) {
      const start = performance.now();
      await work(input);
      times.push(performance.now() - start);
    }
  }
  return summarize(times);
}

/** The median and the 95th percentile of times. */
export function summarize(times: readonly number[]): Timing {
  const sorted = times.toSorted((a, b) => a - b);
  return { median: at(sorted, 0.5), p95: at(sorted, 0.95) };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function show({ median, p95 }: Timing): string {
  return `${median.toFixed(2)} / ${p95.toFixed(2)}`;
}

export function ratio(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)}×`;
}

/** Prints a table in Markdown and adds it to the section. */
export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  say(`### ${title}\n\n${lines.join("\n")}`);
}
