import { createHash } from "node:crypto";
import type { StreamShape } from "@rungs/contract";

const THREAD_BYTES = 16;

/** The fields that name the thread of a record, by their declared role. */
export function listThreadFields({ fields }: StreamShape): string[] {
  return fields.filter(({ role }) => role === "thread").map(({ name }) => name);
}

/** The thread of a record: the first of its thread fields that has a value. */
export function findThread(shape: StreamShape, data: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of listThreadFields(shape)) {
    const value = Object.hasOwn(data, field) ? data[field] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** The key of a thread: a digest, since names can be of any length. */
export function hashThread(name: string): Uint8Array {
  return createHash("sha256").update(name, "utf8").digest().subarray(0, THREAD_BYTES);
}
