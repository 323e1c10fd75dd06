/** Memory and CPU time of other processes, and a CPU limit. Linux only. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** The cgroup v1 hierarchy that limits CPU time. */
const GROUPS = "/sys/fs/cgroup/cpu";
const PERIOD_US = 20_000;
/** The tick rate of /proc (USER_HZ), always 100. */
const TICKS_PER_SECOND = 100;

/** Why processes cannot be limited here; undefined where they can. */
export function whyNoLimit(): string | undefined {
  if (process.getuid?.() === 0 && existsSync(`${GROUPS}/cpu.cfs_quota_us`)) return undefined;
  return `Processes get shares of a processor through ${GROUPS}/cpu.cfs_quota_us (Linux, control groups of version 1, as root).`;
}

/** Limits a process to a share of one CPU; `forget` removes the limit after it has ended. */
export function limitProcessor(pid: number, share: number): { forget(): Promise<void> } {
  const group = `${GROUPS}/rungs-bench-${pid}`;
  mkdirSync(group);
  writeFileSync(`${group}/cpu.cfs_period_us`, String(PERIOD_US));
  writeFileSync(`${group}/cpu.cfs_quota_us`, String(Math.round(PERIOD_US * share)));
  writeFileSync(`${group}/cgroup.procs`, String(pid));
  return {
    async forget() {
      // The kernel empties the group a moment after the process has ended.
      while (readFileSync(`${group}/cgroup.procs`, "utf8") !== "") await delay(10);
      rmdirSync(group);
    },
  };
}

/** The resident memory of a process in MiB: now, or the most that it had. */
export function readMemory(pid: number | undefined, kind: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kib = new RegExp(`^${kind}:\\s+(\\d+) kB`, "m").exec(status)?.[1];
  return Math.round(Number(kib) / 1024);
}

interface Process {
  readonly parent: number;
  readonly seconds: number;
}

/** The CPU seconds of a process and its children, both finished and running. */
export function readProcessorSeconds(pid: number): number {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
    .filter(({ parent }) => parent === pid);
  return [readProcess(pid), ...children].reduce((sum, found) => sum + (found?.seconds ?? 0), 0);
}

/** The process whose child a process is. */
export function readParent(pid: number): number {
  return readProcess(pid)?.parent ?? Number.NaN;
}

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before the last bracket may have spaces. Fields: proc_pid_stat(5).
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [used = 0, used_by_kernel = 0, by_children = 0, by_kernel_for_children = 0] = fields.slice(11, 15);
    const ticks = used + used_by_kernel + by_children + by_kernel_for_children;
    return { parent: fields[1] ?? Number.NaN, seconds: ticks / TICKS_PER_SECOND };
  } catch {
    // The process has ended.
    return undefined;
  }
}
