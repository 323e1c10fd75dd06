import assert from "node:assert/strict";
import { CodedError } from "@rungs/evidence";

/** Asserts that `work` is refused with `code`, and returns the error. */
export async function assertRefused(
  work: Promise<unknown> | (() => unknown),
  code: string,
): Promise<CodedError> {
  let refusal: unknown;
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    refusal = error;
  }
  assert.ok(refusal instanceof CodedError, `refused with ${code}, not ${String(refusal ?? "accepted")}`);
  assert.equal(refusal.code, code);
  return refusal;
}
