import { randomInt } from "node:crypto";

const PER_MS = 4_096;
let last = 0;

/** A number that rises with time within a program and seldom meets those of others: milliseconds and a little chance. */
export function createTimedId(): number {
  last = Math.max(last + 1, Date.now() * PER_MS + randomInt(PER_MS));
  return last;
}

/** The least number that was made at a time. */
export function timedIdBefore(time_ms: number): number {
  return time_ms * PER_MS;
}
