import { createHash } from "node:crypto";

const THREAD_BYTES = 16;

/** The key of a thread: a digest, since names can be of any length. */
export function hashThread(name: string): Uint8Array {
  return createHash("sha256").update(name, "utf8").digest().subarray(0, THREAD_BYTES);
}
