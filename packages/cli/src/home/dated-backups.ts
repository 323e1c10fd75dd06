/** Backups in a folder, named for their time, and the schedule that makes them. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { foldToLine } from "@rungs/evidence";
import { type CommandEnvironment, type StartedCommand, startCommand } from "../command/start-command.ts";
import { removeEnvelope } from "../keys/envelope.ts";

/** The names of dated backups, in the order of time. */
const DATED = /^rungs-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

/** The remains of a killed backup. */
const UNFINISHED = /^rungs-\d{8}T\d{6}Z\.db\.part/;

/** A new name for a backup at this moment. */
export function nameBackup(at: Date): string {
  return `rungs-${at.toISOString().replace(/[-:]|\.\d+/g, "")}.db`;
}

/** The dated backups of a folder, the oldest first. */
function listBackups(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => DATED.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** When the newest backup of a folder was made; undefined without one. */
export function findLastBackup(folder: string): number | undefined {
  const name = listBackups(folder)
    .at(-1)
    ?.slice(folder.length + 1);
  return name === undefined ? undefined : Date.parse(name.replace(DATED, "$1-$2-$3T$4:$5:$6Z"));
}

/** Deletes the oldest backups and keeps the newest `keep`; returns the deleted ones. */
export async function deleteOldest(folder: string, keep: number): Promise<string[]> {
  const old = listBackups(folder).slice(0, -keep);
  for (const file of old) {
    await rm(file);
    removeEnvelope(file);
  }
  return old;
}

/** When to back up, and where to. */
export interface BackupSchedule {
  readonly folder: string;
  readonly every_ms: number;
  readonly keep: number;
}

const LOOK_MS = 60_000;

/**
 * Backs up in a child process whenever the newest backup is old enough. Returns the function that stops the schedule.
 * Failures go to standard error, and show in the age of the newest backup in `/metrics`.
 */
export function keepBackingUp(
  { folder, every_ms, keep }: BackupSchedule,
  env: CommandEnvironment,
): () => Promise<void> {
  let running: StartedCommand | undefined;
  const begin = () => {
    if (running || Date.now() - (findLastBackup(folder) ?? 0) < every_ms) return;
    for (const name of readdirSync(folder)) if (UNFINISHED.test(name)) rmSync(join(folder, name));
    running = startCommand(["backup", folder, "--keep", String(keep)], env);
    void running.ended.then(() => {
      running = undefined;
    });
  };
  // The folder may be on another machine: its failures are not the server's.
  const look = () => {
    try {
      begin();
    } catch (error) {
      const reason = foldToLine(error instanceof Error ? error.message : String(error));
      console.error(`rungs: No backup was made, since its folder cannot be read (${reason}).`);
    }
  };
  look();
  const timer = setInterval(look, Math.min(LOOK_MS, every_ms));
  return async () => {
    clearInterval(timer);
    if (running?.process.kill("SIGTERM")) await running.ended;
  };
}
