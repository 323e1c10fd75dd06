import { spawn } from "node:child_process";

/**
 * Runs a program with its standard error on ours; returns its exit code and output, and prints the output unless
 * `isQuiet`.
 */
export function capture(
  command: string,
  args: readonly string[],
  isQuiet = false,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (!isQuiet) process.stdout.write(text);
    });
    child.once("error", reject).once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
