import assert from "node:assert/strict";
import { Refusal } from "@rungs/evidence";

/** Asserts that `work` is refused with `code`, and gives the refusal. */
export async function assertRefused(
  work: Promise<unknown> | (() => unknown),
  code: string,
): Promise<Refusal> {
  let refusal: unknown;
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    refusal = error;
  }
  assert.ok(refusal instanceof Refusal, `refused with ${code}, not ${String(refusal ?? "accepted")}`);
  assert.equal(refusal.code, code);
  return refusal;
}
