import { randomInt } from "node:crypto";

const PER_MS = 4_096;
let last = 0;

/** A number that rises with time within a process and seldom collides with other processes: milliseconds and 12 random bits. */
export function createTimedId(): number {
  last = Math.max(last + 1, Date.now() * PER_MS + randomInt(PER_MS));
  return last;
}

/** The smallest id of a time. */
export function timedIdBefore(time_ms: number): number {
  return time_ms * PER_MS;
}
