/** Runs the CLI in this process, for tests that do not need a separate one. */
import { run } from "rungs/internal/run";
import type { Env, Ran } from "./program.ts";

/** Runs a command line. */
export async function rungsHere(argv: readonly string[], env: Env): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(argv, { out: (text) => out.push(text), err: (text) => err.push(text), env });
  return { code, out: out.join("\n"), err: err.join("\n") };
}
