/**
 * How a parser is tried: on many cases, each of which has to end in a value or in a coded refusal, and all of which
 * together leave nothing behind in memory. `RUNGS_FUZZ_CASES` sets how many cases there are in all, `RUNGS_FUZZ_SEED` runs
 * one seed again.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describeRefusal, isErrorCode } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import fc from "fast-check";
import { heldBytes } from "./memory.ts";

const CASES = Number(process.env.RUNGS_FUZZ_CASES ?? 12_000);
/** Among which the cases are shared out, about. */
const PROPERTIES = 60;
const SEED = process.env.RUNGS_FUZZ_SEED;
const CASES_PER_TURN = 50;

/** Far above what caches and compiled code take, and far below what a leak of each case comes to in the long form. */
const HELD_BYTES = 64 * 1024 ** 2;

/** What a refusal says beside what it repeats of the input's own names. */
const REFUSAL_CHARS = 4_000;

/** Tries a property; `share` makes its part of the cases smaller, for those that cost more. */
export function fuzz<T>(
  title: string,
  arbitrary: fc.Arbitrary<T>,
  hold: (value: T) => void | Promise<void>,
  share = 1,
): void {
  test(title, async (context) => {
    const numRuns = countCases(share);
    const seed = SEED === undefined ? {} : { seed: Number(SEED) };
    const before = await heldBytes();
    let tried = 0;
    const property = fc.asyncProperty(arbitrary, async (value) => {
      await hold(value);
      // What one turn of the event loop holds is let go only at its end.
      if (++tried % CASES_PER_TURN === 0) await nextTurn();
    });
    await fc.assert(property, { numRuns, ...seed });
    const grown = (await heldBytes()) - before;
    assert.ok(grown < HELD_BYTES, `${grown} bytes are left after ${numRuns} cases`);
    context.diagnostic(`${numRuns} cases`);
  });
}

/** How many cases a property with this share gets: enough to mean something. */
export function countCases(share = 1): number {
  return Math.max(20, Math.round((CASES / PROPERTIES) * share));
}

/** The value that a parser gives, or undefined where it refuses; anything thrown but a coded refusal fails. */
export function takeOrRefuse<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    assertCoded(error);
    return undefined;
  }
}

/** The same for a parser that takes its time. */
export async function settle<T>(parse: () => Promise<T>): Promise<T | undefined> {
  try {
    return await parse();
  } catch (error) {
    assertCoded(error);
    return undefined;
  }
}

/** A refusal has a code of the registry, is the caller's fault, and is short. */
export function assertCoded(error: unknown): void {
  if (!(error instanceof CodedError)) throw error;
  assert.ok(isErrorCode(error.code), error.code);
  const { status, body } = describeRefusal(error);
  assert.ok(status >= 400 && status < 500, `${status} ${error.code}`);
  assert.ok(JSON.stringify(body).length < REFUSAL_CHARS, `${error.code} says ${error.message.length} chars`);
}
