import { mkdirSync } from "node:fs";
import { homedir, platform } from "node:os";
import { join, resolve } from "node:path";
import type { CommandCall } from "../command/command.ts";

/** Where Rungs keeps its things: as told, or in the platform's folder for data. */
export function homeOf({ option, io: { env } }: CommandCall): string {
  return resolve(option("home") ?? env.RUNGS_HOME ?? defaultHome(env));
}

/** Where the demonstration keeps its things: never among one's own, whatever the environment says. */
export function demoHomeOf({ option, io: { env } }: CommandCall): string {
  return resolve(option("home") ?? `${defaultHome(env)}-demo`);
}

/** Makes the home if it is new, readable for its owner alone. */
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
