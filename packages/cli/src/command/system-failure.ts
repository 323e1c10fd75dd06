/** What Node, SQLite and PostgreSQL have codes for, in a sentence that says what to do. */

const DISK_FULL =
  "The disk is full: free some space and run the same command again; nothing that was there is lost.";
const DAMAGED = "The database is damaged: rungs doctor says more.";

/** By Node's error codes and PostgreSQL's; `path` is the file that it was about. */
const BY_CODE: Readonly<Record<string, (path: string) => string>> = {
  ENOSPC: () => DISK_FULL,
  EDQUOT: () => DISK_FULL,
  "53100": () => DISK_FULL,
  ENOENT: (path) => `${path} is not there.`,
  EACCES: (path) => `${path} may not be opened by this user: change its permissions, or name another.`,
  EPERM: (path) => `${path} may not be changed by this user: change its permissions, or name another.`,
  EROFS: (path) => `${path} is on a disk that cannot be written: name another place.`,
  EISDIR: (path) => `${path} is a folder.`,
  ENOTDIR: (path) => `${path} is not in a folder.`,
};

/** By the primary result codes of SQLite (https://sqlite.org/rescode.html). */
const BY_ERRCODE: Readonly<Record<number, string>> = {
  8: "The database cannot be written by this user: change its permissions.",
  11: DAMAGED,
  13: DISK_FULL,
  26: "The file is not a database.",
};

/** Says what a failure of the system means; undefined for any other. */
export function describeSystem(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const {
    code = "",
    errcode,
    path = "The file",
  } = thrown as Error & {
    code?: string;
    errcode?: number;
    path?: string;
  };
  return BY_CODE[code]?.(path) ?? (errcode === undefined ? undefined : BY_ERRCODE[errcode & 0xff]);
}

/** Whether there was no room, which is not for want of a database. */
export function isDiskFull(thrown: unknown): boolean {
  return describeSystem(thrown) === DISK_FULL;
}
