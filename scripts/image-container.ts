/** Runs an image like a container engine, using only kernel namespaces, for machines without such an engine. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** What runs, and where it may write. */
export interface ContainerPlan {
  /** The folder of the image's files. */
  readonly root: string;
  readonly uid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** Files and folders of this machine, by the path at which the container sees them. */
  readonly binds: Readonly<Record<string, string>>;
  /** A process whose network it shares; by default, it has only a private loopback. */
  readonly network_of?: number;
}

/** A running container. */
export interface Container {
  /** Runs a program inside, with the same rights; returns its exit code and output. */
  exec(command: readonly string[]): { readonly code: number | null; readonly out: string };
  /** A line of /proc/PID/status of its process. */
  status(name: string): string;
  readonly output: () => string;
  /** Ends it with SIGTERM; returns its exit code. */
  stop(): Promise<number | null>;
}

const NAMESPACES = ["--mount", "--pid", "--ipc", "--uts"];
/** Capabilities only for entering the root and becoming its user, who drops them. */
const RIGHTS = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all,+sys_chroot,+setuid,+setgid"];

const SET_UP = `set -e
root=$1; shift
ip link set lo up
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do mount --bind "$2" "$root$1"; shift 2; done
shift
exec "$@"`;

/** Starts it: a read-only root, /tmp in memory, no capabilities, and private process and network namespaces. */
export async function startContainer(plan: ContainerPlan): Promise<Container> {
  const { root, env, binds, command, network_of } = plan;
  const network = network_of === undefined ? [] : ["nsenter", `--net=/proc/${network_of}/ns/net`];
  const inside = [...enter(plan), ...command];
  const [program = "", ...args] = [
    ...network,
    ...["unshare", ...NAMESPACES, ...(network_of === undefined ? ["--net"] : []), "--fork"],
    ...["sh", "-c", SET_UP, "sh", root, ...Object.entries(binds).flat(), "--", ...inside],
  ];
  const outer = spawn(program, args, { env: { PATH: process.env.PATH, ...env } });
  let output = "";
  for (const stream of [outer.stdout, outer.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  const ended = once(outer, "close");
  const pid = await findInner(outer, () => output);
  // A failed check ends this program, and the container with it.
  process.once("exit", () => outer.exitCode ?? process.kill(pid, "SIGKILL"));
  return {
    exec(words) {
      const namespaces = ["--target", String(pid), ...NAMESPACES, "--net"];
      const { status, stdout, stderr } = spawnSync("nsenter", [...namespaces, ...enter(plan), ...words], {
        env: { PATH: process.env.PATH, ...env },
        encoding: "utf8",
      });
      return { code: status, out: `${stdout}${stderr}` };
    },
    status: (name) =>
      new RegExp(`^${name}:\\s*(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "",
    output: () => output,
    async stop() {
      process.kill(pid, "SIGTERM");
      return (await ended)[0] as number | null;
    },
  };
}

/** The command prefix that enters the root as its user. */
function enter({ root, uid }: ContainerPlan): string[] {
  return ["setpriv", ...RIGHTS, "chroot", `--userspec=${uid}:${uid}`, "--groups=", root];
}

/** The first process of the namespaces, which `unshare` starts. */
async function findInner(outer: ChildProcess, output: () => string): Promise<number> {
  for (let left = 100; left > 0 && outer.exitCode === null; left -= 1) {
    const children = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, "utf8").trim();
    if (children !== "") return Number(children.split(" ")[0]);
    await delay(50);
  }
  throw new Error(`The container did not start: ${output()}`);
}
