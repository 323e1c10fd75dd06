/** The program within this process, for questions whose answers do not depend on being another one. */
import { run } from "rungs/internal/run";
import type { Env, Ran } from "./program.ts";

/** Runs a command line. */
export async function rungsHere(argv: readonly string[], env: Env): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(argv, { out: (text) => out.push(text), err: (text) => err.push(text), env });
  return { code, out: out.join("\n"), err: err.join("\n") };
}
