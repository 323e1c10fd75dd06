import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { findDataFolder, readSystem, type System } from "./system.ts";

/** The mode bits of group and others. */
const OTHERS = 0o077;

/** The data directory: `--home`, `RUNGS_HOME`, or the platform's default. */
export function resolveHome({ option, io: { env } }: CommandCall): string {
  return resolve(option("home") ?? env.RUNGS_HOME ?? defaultHome(env));
}

/** The data directory of the demo. It ignores `RUNGS_HOME`, so that sample data never mixes with the owner's. */
export function resolveDemoHome({ option, io: { env } }: CommandCall): string {
  return resolve(option("home") ?? `${defaultHome(env)}-demo`);
}

/**
 * Creates the data directory if missing. Removes other users' access to an existing one, and refuses it if that fails.
 */
export function ensureHome(home: string): void {
  createFolder(home);
  if (platform() === "win32" || (statSync(home).mode & OTHERS) === 0) return;
  try {
    chmodSync(home, 0o700);
  } catch {
    throw new UsageError(
      `Others on this machine can read ${home}, and its permissions cannot be changed: run chmod 700 ${home} as its owner, or choose another folder with --home.`,
    );
  }
}

/** Not Node's own `recursive`, which never ends below a folder such as /proc, where nothing can be created. */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function defaultHome(env: System["env"]): string {
  return join(findDataFolder(readSystem(env)), "rungs");
}
