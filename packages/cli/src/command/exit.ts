/** The exit codes. */
export const Exit = {
  done: 0,
  failed: 1,
  usage: 2,
  unauthenticated: 3,
  unreachable: 4,
} as const;

/** A wrong command line. */
export class UsageError extends Error {}

/** An interrupted transfer; its message says what to do. */
export class BrokenOff extends Error {}

/** The advice for a missing token. */
export const GET_TOKEN =
  "Run rungs connect URL, or rungs grant create and put its token into RUNGS_TOKEN or --token-file.";
