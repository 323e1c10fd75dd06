/** The program within this process, for questions whose answers do not depend on being another one. */
import { run } from "../../packages/cli/src/run.ts";
import type { Env, Ran } from "./rungs.ts";

/** Runs a command line. */
export async function rungsHere(argv: readonly string[], env: Env): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(argv, { out: (text) => out.push(text), err: (text) => err.push(text), env });
  return { code, out: out.join("\n"), err: err.join("\n") };
}
