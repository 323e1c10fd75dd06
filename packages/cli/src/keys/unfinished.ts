/** The file that `rungs encrypt` and `rungs decrypt` write and then rename over the database. */
import { existsSync, rmSync } from "node:fs";
import { ApiError } from "@rungs/contract";

const SQLITE_BUSY = 5;

/** Where the new file is written. */
export function unfinishedPath(file: string): string {
  return `${file}.converting`;
}

/** Removes the remains of a killed conversion: a database that opens is not being converted. */
export function removeUnfinished(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"])
    rmSync(unfinishedPath(file) + suffix, { force: true });
}

/** Explains why a file that is being converted is locked. */
export function refuseConverting(file: string): (error: unknown) => never {
  return (error) => {
    const isLocked = (error as { errcode?: number }).errcode === SQLITE_BUSY;
    throw isLocked && existsSync(unfinishedPath(file)) ? new ApiError("database_converting") : error;
  };
}
