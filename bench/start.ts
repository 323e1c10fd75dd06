/** The installed package: its size, and the start-up time of its commands, compared with Node itself. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackage } from "../testing/cli/installed.ts";
import { createNotesHome } from "../testing/cli/notes-home.ts";
import { MAIN } from "../testing/cli/program.ts";
import { say } from "./figures.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";

const ROUNDS = 15;

/** A program to start: until it ends, or until it has answered `tools/list`. */
interface Start {
  readonly name: string;
  readonly args: readonly string[];
  readonly asks?: boolean;
}

const QUESTIONS = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
]
  .map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`)
  .join("");

export async function benchStart(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-start-"));
  const home = await createNotesHome();
  const began = performance.now();
  const installed = await installPackage(folder);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const { packed, package_count } = installed;
  say(
    `The package: ${(packed.size / 1e6).toFixed(1)} MB to download, ${(packed.unpackedSize / 1e6).toFixed(1)} MB unpacked, ${package_count} package; built, packed and installed in ${seconds} s.`,
  );
  const bin = join(installed.folder, "bin", "rungs.js");
  const env = { PATH: "", HOME: folder, ...home.env };
  await measureStarts(
    [
      { name: "node -e 0", args: ["-e", "0"] },
      { name: "rungs --version", args: [bin, "--version"] },
      { name: "rungs mcp, to tools/list", args: [bin, "mcp"], asks: true },
      { name: "the same from sources", args: ["--conditions=rungs-source", MAIN, "mcp"], asks: true },
    ],
    env,
  );
  home.remove();
  rmSync(folder, { recursive: true });
}

/** Starts the programs in turn, so that other load on the machine slows all of them. */
async function measureStarts(starts: readonly Start[], env: Record<string, string>): Promise<void> {
  const times = new Map(starts.map(({ name }) => [name, [] as number[]]));
  // The first round fills the compile cache.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const each of starts) {
      const ms = await measure(each, env);
      if (round > 0) times.get(each.name)?.push(ms);
    }
  }
  const rows = starts.map(({ name }) => ({ name, timing: summarize(times.get(name) ?? []) }));
  const base = rows[0]?.timing.median ?? Number.NaN;
  printTable(
    "Starting, ms median / p95",
    ["program", "time", "against Node itself"],
    rows.map(({ name, timing }) => [name, show(timing), ratio(timing.median / base)]),
  );
}

async function measure({ args, asks }: Start, env: Record<string, string>): Promise<number> {
  const began = performance.now();
  if (!asks) {
    execFileSync(process.execPath, args, { env });
    return performance.now() - began;
  }
  const program = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  program.stdin.write(QUESTIONS);
  let said = "";
  for await (const chunk of program.stdout.setEncoding("utf8")) {
    said += chunk;
    if (said.includes('"tools":[')) break;
  }
  const ms = performance.now() - began;
  program.stdin.end();
  if (program.exitCode === null) await once(program, "close");
  return ms;
}
