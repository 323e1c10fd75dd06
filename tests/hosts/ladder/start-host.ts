/**
 * Starts a host in a new home, with Rungs' printed configuration and the scripted model, isolated from this machine.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { HostSetup } from "@rungs/client";
import type { Host } from "../hosts.ts";

const LIMIT_MS = 180_000;
const TAIL_CHARS = 2_000;

export interface StartedHost {
  /** Rejects when the host ends, with the end of its output. */
  readonly failed: Promise<never>;
  /** Waits for the host to end by itself, for a short time. */
  stop(): Promise<void>;
}

/** Starts the host on a prompt. */
export async function startHost(
  host: Host,
  { bin, setup, model_url }: { bin: string; setup: HostSetup; model_url: string },
): Promise<StartedHost> {
  const home = mkdtempSync(join(tmpdir(), "rungs-host-"));
  for (const [path, text] of Object.entries(host.files(setup.text, model_url))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const PATH = [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  const env = { PATH, HOME: home, ...host.env(model_url) };
  const start = (command: string, args: readonly string[]) => startProgram(command, args, { cwd: home, env });
  if (setup.where === "run") {
    const { code, output } = await start("sh", ["-c", setup.text]).ended;
    if (code !== 0) throw new Error(`${setup.text}\n${output}`);
  }
  const { program, ended } = start(host.program, host.argv(model_url));
  const timer = setTimeout(() => program.kill("SIGKILL"), LIMIT_MS);
  const failed = ended.then(({ code, output }) => {
    throw new Error(`${host.name} ended with ${code}: ${output.slice(-TAIL_CHARS)}`);
  });
  failed.catch(() => undefined);
  return {
    failed,
    async stop() {
      const soon = setTimeout(() => program.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(soon);
      clearTimeout(timer);
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function startProgram(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
) {
  const program = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [program.stdout, program.stderr]) {
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  }
  const ended = new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    program.once("error", reject);
    program.once("close", (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
  });
  return { program, ended };
}
