/** What the program's exit codes mean. */
export const Exit = {
  done: 0,
  failed: 1,
  usage: 2,
  unauthenticated: 3,
  unreachable: 4,
} as const;

/** A command that was written wrongly. */
export class UsageError extends Error {}

/** A transfer that ended early; its message says what to do. */
export class BrokenOff extends Error {}
