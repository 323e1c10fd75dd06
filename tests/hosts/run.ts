import { spawn } from "node:child_process";

/** Runs a program with its output on ours, and gives its exit code. */
export function run(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    spawn(command, args, { stdio: "inherit" })
      .once("error", reject)
      .once("exit", (code) => resolve(code ?? 1));
  });
}
