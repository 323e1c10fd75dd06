/** Runs the CLI as people do: in a separate process with piped output. */
import { spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/**
 * Where a full test run has built the package, which starts three times as fast. Test files run by name use the
 * sources.
 */
const BUILT = process.env.RUNGS_TEST_PACKAGE;

/** The output and exit code of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export type Env = Readonly<Record<string, string>>;

/** The program's file, which Node runs. */
export const BIN = join(BUILT ?? join(ROOT, "packages/cli"), "bin/rungs.js");

/** The program as its source, for Node with `--conditions=rungs-source`. */
export const SOURCE = join(ROOT, "packages/cli/src/main.ts");

/** The program without its launcher, for Node with `--conditions=rungs-source`. */
export const MAIN = BUILT ? join(BUILT, "dist/bundle/main.js") : SOURCE;

/** The compile cache that the processes of all tests share. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/rungs") };

/** Starts the program with a clean environment. */
export function start(argv: readonly string[], env: Env) {
  const { PATH = "" } = process.env;
  return spawn(process.execPath, [BIN, ...argv], { env: { PATH, ...COMPILE_CACHE, ...env } });
}

/** Node options that make a process pretend to be another version. */
export function pretendVersion(version: string): string[] {
  const script = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  return ["--import", `data:text/javascript,${encodeURIComponent(script)}`];
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
