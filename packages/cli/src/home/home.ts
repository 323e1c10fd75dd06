import { mkdirSync } from "node:fs";
import { homedir, platform } from "node:os";
import { join, resolve } from "node:path";
import type { CommandCall } from "../command/command.ts";

/** The data directory: `--home`, `RUNGS_HOME`, or the platform's default. */
export function resolveHome({ option, io: { env } }: CommandCall): string {
  return resolve(option("home") ?? env.RUNGS_HOME ?? defaultHome(env));
}

/** The data directory of the demo. It ignores `RUNGS_HOME`, so that sample data never mixes with the owner's. */
export function resolveDemoHome({ option, io: { env } }: CommandCall): string {
  return resolve(option("home") ?? `${defaultHome(env)}-demo`);
}

/** Creates the data directory if missing, readable only for its owner. */
export function ensureHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
}

function defaultHome(env: Readonly<Record<string, string | undefined>>): string {
  switch (platform()) {
    case "darwin":
      return join(homedir(), "Library", "Application Support", "rungs");
    case "win32":
      return join(env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "rungs");
    default:
      return join(env.XDG_DATA_HOME ?? join(homedir(), ".local", "share"), "rungs");
  }
}
