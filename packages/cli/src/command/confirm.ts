import { createInterface } from "node:readline/promises";
import type { CommandCall, CommandOption } from "./command.ts";
import { UsageError } from "./exit.ts";

/** The option of a command that asks before it changes something outside the data. */
export const yesOption: CommandOption = { type: "boolean", about: "make the change without being asked" };

/** Asks whether to make the change that was shown; `--yes` confirms it. Without a terminal, a command needs `--yes`. */
export async function confirmChange({ io, flag }: CommandCall): Promise<boolean> {
  if (flag("yes")) return true;
  if (!io.watch || !process.stdin.isTTY)
    throw new UsageError("Nothing was changed: add --yes to make this change without being asked.");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question("Change it? [y/N] ");
    if (/^y(?:es)?$/i.test(answer.trim())) return true;
  } finally {
    terminal.close();
  }
  io.err("Nothing was changed.");
  return false;
}
