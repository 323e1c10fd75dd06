/** Runs the CLI as people do: in a separate process with piped output. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The output and exit code of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export type Env = Readonly<Record<string, string>>;

/** The program's file, which Node runs. */
export const BIN = fileURLToPath(new URL("../../packages/cli/bin/rungs.js", import.meta.url));

/** The program as its source, for Node with `--conditions=rungs-source`. */
export const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

/** Starts the program with a clean environment. */
export function start(argv: readonly string[], env: Env) {
  const { PATH = "" } = process.env;
  return spawn(process.execPath, [BIN, ...argv], { env: { PATH, ...env } });
}

/** Runs a command line to its end. */
export async function rungs(argv: readonly string[], env: Env): Promise<Ran> {
  const program = start(argv, env);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  program.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  program.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number>((resolve) => program.on("close", (status) => resolve(status ?? -1)));
  return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

/** Splits a command line that an answer printed into words, as a shell does. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
