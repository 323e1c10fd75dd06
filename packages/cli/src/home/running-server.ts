/** A file in the data directory of a running server, by which commands in other terminals find it. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandCall } from "../command/command.ts";
import { resolveDemoHome, resolveHome } from "./home.ts";

const FILE = "server.json";

/** A server that runs on this machine. */
export interface RunningServer {
  readonly url: string;
  readonly home: string;
  readonly pid: number;
  readonly started_at: string;
  /** The token of the demo's agent; only the demo has one. */
  readonly token_file?: string | undefined;
}

/** Writes the file; returns the function that removes it. */
export function recordRunningServer(
  home: string,
  about: Pick<RunningServer, "url" | "token_file">,
): () => void {
  const file = join(home, FILE);
  const note: RunningServer = { ...about, home, pid: process.pid, started_at: new Date().toISOString() };
  writeFileSync(file, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  return () => {
    if (readNote(home)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/** Finds the server of the data directory that a command line names; without one, of the default directory or the demo. */
export function findRunning(call: CommandCall): RunningServer | undefined {
  const { option, io } = call;
  if (option("database") !== undefined || io.env.RUNGS_DATABASE !== undefined) return undefined;
  const isNamed = option("home") !== undefined || io.env.RUNGS_HOME !== undefined;
  const homes = isNamed ? [resolveHome(call)] : [resolveHome(call), resolveDemoHome(call)];
  return homes.map(readNote).find((note) => note !== undefined && isAlive(note.pid));
}

/** Removes the file of a killed server. */
export function removeStaleNote(home: string): void {
  const note = readNote(home);
  if (note === undefined || !isAlive(note.pid)) rmSync(join(home, FILE), { force: true });
}

/** The same command line, for another data directory. */
export function withHome(call: CommandCall, home: string): CommandCall {
  return { ...call, option: (name) => (name === "home" ? home : call.option(name)) };
}

/** Undefined if there is none, or one that a killed process was writing. */
function readNote(home: string): RunningServer | undefined {
  try {
    return JSON.parse(readFileSync(join(home, FILE), "utf8"));
  } catch {
    return undefined;
  }
}

/** A killed server leaves its file behind. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
