import { type ChildProcess, spawn } from "node:child_process";
import { foldToLine } from "@rungs/evidence";

/** What a process needs to find the same database. */
export type CommandEnvironment = Readonly<Record<string, string | undefined>>;

/** A command in a process of its own. */
export interface StartedCommand {
  readonly process: ChildProcess;
  /** Resolves when it has ended, also when the system had no memory to start it. Never rejects. */
  readonly ended: Promise<void>;
}

/** Starts another command of this program. Its channel closes when this process ends, however it does. */
export function startCommand(words: readonly string[], env: CommandEnvironment): StartedCommand {
  const program = process.argv[1] ?? "";
  const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    // Without a listener, this process would end too.
    child.on("error", (error) => {
      console.error(`rungs: The process for rungs ${words[0]} failed (${foldToLine(error.message)}).`);
      resolve();
    });
  });
  return { process: child, ended };
}
