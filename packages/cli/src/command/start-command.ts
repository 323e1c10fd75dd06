import { type ChildProcess, spawn } from "node:child_process";

/** What a process needs to find the same database. */
export type CommandEnvironment = Readonly<Record<string, string | undefined>>;

/** Starts another command of this program. Its channel closes when this process ends, however it does. */
export function startCommand(words: readonly string[], env: CommandEnvironment): ChildProcess {
  const program = process.argv[1] ?? "";
  return spawn(process.execPath, [...process.execArgv, program, ...words], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...env },
  });
}
