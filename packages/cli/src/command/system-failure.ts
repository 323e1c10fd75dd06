/** Explains the error codes of Node, SQLite and PostgreSQL, and says what to do. */

const DISK_FULL = "The disk is full: free some space and run the same command again; no stored data is lost.";
const DAMAGED = "The database is damaged: rungs doctor says more.";

/** By the error codes of Node and PostgreSQL; `path` is the file concerned. */
const BY_CODE: Readonly<Record<string, (path: string) => string>> = {
  ENOSPC: () => DISK_FULL,
  EDQUOT: () => DISK_FULL,
  "53100": () => DISK_FULL,
  ENOENT: (path) => `${path} does not exist.`,
  EACCES: (path) => `You have no permission to open ${path}: change its permissions, or name another.`,
  EPERM: (path) => `You have no permission to change ${path}: change its permissions, or name another.`,
  EROFS: (path) => `${path} is on a read-only disk: name another place.`,
  EISDIR: (path) => `${path} is a folder.`,
  ENOTDIR: (path) => `${path} is not in a folder.`,
};

/** By the primary result codes of SQLite (https://sqlite.org/rescode.html). */
const BY_ERRCODE: Readonly<Record<number, string>> = {
  8: "You have no permission to write the database: change its permissions.",
  11: DAMAGED,
  13: DISK_FULL,
  26: "The file is not a database.",
};

/** Explains a system error; undefined for any other. */
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

/** Whether the disk is full, so that the database itself is not at fault. */
export function isDiskFull(thrown: unknown): boolean {
  return describeSystem(thrown) === DISK_FULL;
}
