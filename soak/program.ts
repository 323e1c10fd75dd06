/** The program as a killable process: without its launcher, so that a kill hits the process that writes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { COMPILE_CACHE, MAIN } from "../testing/cli/program.ts";
import type { World } from "./world.ts";

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A process of the program. */
export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Kills it at once; resolves when it is gone. */
  kill(): Promise<void>;
  /** Asks it to exit. */
  stop(): Promise<Ended>;
}

/** A server that answers. */
export interface Server extends Program {
  readonly url: string;
}

/** Starts a command line, through the command `wrap` if given. */
function startProgram(argv: readonly string[], wrap: readonly string[] = []): Program {
  const { PATH = "" } = process.env;
  const [command = "", ...args] = [...wrap, process.execPath, "--conditions=rungs-source", MAIN, ...argv];
  const child = spawn(command, args, { env: { PATH, ...COMPILE_CACHE } });
  const [out, err]: [Tail, Tail] = [new Tail(), new Tail()];
  child.stdout.on("data", (chunk: Buffer) => out.add(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.add(chunk));
  const ended = once(child, "close").then(([code]) => ({ code, out: out.text, err: err.text }));
  return {
    child,
    ended,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** Runs a command line to its end. */
export async function runProgram(argv: readonly string[], wrap: readonly string[] = []): Promise<Ended> {
  return startProgram(argv, wrap).ended;
}

/** Starts `rungs serve` and waits until it listens. */
export function startServer({ place }: World, wrap: readonly string[] = []): Promise<Server> {
  return serve(["--database", place.address], wrap);
}

/** The same with other options. */
export async function serve(options: readonly string[], wrap: readonly string[] = []): Promise<Server> {
  const program = startProgram(["serve", "--port", "0", "--json", ...options], wrap);
  const line = once(program.child.stdout as NodeJS.ReadableStream, "data");
  const first = await Promise.race([line, program.ended]);
  if (!Array.isArray(first)) throw new Error(`The server did not start: ${first.err}`);
  return { ...program, url: JSON.parse(String(first[0])).url };
}

/** Starts `rungs import FILE --as records`. */
export function startImport({ place, manifest_file }: World, file: string, connection: string): Program {
  const how = ["--as", "records", "--manifest", manifest_file, "--connection", connection, "--json"];
  return startProgram(["import", file, ...how, "--database", place.address]);
}

/** The resident memory of a process; undefined where the system does not report it. */
export function readMemoryBytes({ child }: Program): number | undefined {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** The CPU time of a process; undefined where the system does not report it. */
export function readProcessorSeconds({ child }: Program): number | undefined {
  try {
    // Fields 14 and 15, in hundredths of a second: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const [user, system] =
      readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11) ?? [];
    return (Number(user) + Number(system)) / 100;
  } catch {
    return undefined;
  }
}

/** The last output of a process: a server logs a line per request. */
class Tail {
  text = "";

  add(chunk: Buffer): void {
    this.text = (this.text + chunk.toString()).slice(-20_000);
  }
}
