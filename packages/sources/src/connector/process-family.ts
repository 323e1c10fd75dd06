/** The processes that a connector started, wherever they went: by their group, and by a mark in their environment. */
import { readdirSync, readFileSync } from "node:fs";
import { platform } from "node:os";

/** The variable that marks them: a process that leaves the group still has it. */
export const MARK = "RUNGS_CONNECTOR_RUN";

/** The total resources of the processes. */
export interface FamilyUse {
  readonly pids: readonly number[];
  readonly memory_bytes: number;
}

const PAGE_BYTES = 4096;
/** Positions in /proc/PID/stat behind the name (proc_pid_stat(5)): the group, and the resident pages; the state is the first. */
const GROUP_AT = 2;
const RESIDENT_AT = 21;

/** Finds the processes of a connector. Linux only: elsewhere the group alone is known. */
export function findFamily(leader: number, mark: string): FamilyUse {
  if (platform() !== "linux") return { pids: [], memory_bytes: 0 };
  const pids: number[] = [];
  let memory_bytes = 0;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = readProcess(name, "stat");
    if (stat === undefined) continue;
    // The name in parentheses may have any character.
    const values = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (values[0] === "Z") continue;
    const isMember =
      Number(values[GROUP_AT]) === leader ||
      readProcess(name, "environ")?.includes(`${MARK}=${mark}`) === true;
    if (!isMember) continue;
    pids.push(pid);
    memory_bytes += Number(values[RESIDENT_AT]) * PAGE_BYTES;
  }
  return { pids, memory_bytes };
}

/** Kills the processes of a connector, and those that they start meanwhile. */
export function endFamily(leader: number, mark: string): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    endProcess(platform() === "win32" ? leader : -leader);
    const { pids } = findFamily(leader, mark);
    if (pids.length === 0) return;
    for (const pid of pids) endProcess(pid);
  }
}

/** A fork bomb outruns a single round. */
const ROUNDS = 20;

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}

function readProcess(pid: string, file: "stat" | "environ"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return undefined;
  }
}
