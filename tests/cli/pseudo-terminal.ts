/** Runs the program in a pseudo-terminal, by `script` of util-linux, which most Linux distributions include. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { BIN, type Env } from "../../testing/cli/program.ts";

const SCRIPT = "script";

/** Whether this machine can make a pseudo-terminal. */
export const hasTerminal = spawnSync(SCRIPT, ["--version"]).stdout?.includes("util-linux") ?? false;

/** The character of Ctrl-C. */
export const CTRL_C = "\u0003";

/** Terminal control sequences, by readable names. */
const CONTROLS = {
  "\r\u001b[2K": "<clear>",
  "\u001b[36m": "<cyan>",
  "\u001b[1m": "<bold>",
  "\u001b[0m": "<plain>",
  "\r\n": "\n",
};

/** Runs a command line in a terminal to its end; `type` is typed as soon as the screen shows `when`. */
export async function runInTerminal(
  argv: readonly string[],
  env: Env,
  { when, type }: { when?: RegExp; type?: string } = {},
): Promise<{ code: number; screen: string }> {
  const line = `exec ${[process.execPath, BIN, ...argv].map((word) => `'${word}'`).join(" ")}`;
  const { PATH = "" } = process.env;
  // -e returns the program's exit status; -f flushes after each write.
  const terminal = spawn(SCRIPT, ["-qefc", line, "/dev/null"], {
    env: { PATH, TERM: "xterm", SHELL: "/bin/sh", ...env },
  });
  let screen = "";
  let isTyped = type === undefined;
  terminal.stdout.on("data", (chunk: Buffer) => {
    screen += nameControls(chunk.toString());
    if (isTyped || !when?.test(screen)) return;
    isTyped = true;
    terminal.stdin.write(type ?? "");
  });
  const [code] = await once(terminal, "close");
  return { code, screen };
}

function nameControls(text: string): string {
  return Object.entries(CONTROLS).reduce((named, [control, name]) => named.replaceAll(control, name), text);
}
