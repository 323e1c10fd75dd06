/**
 * Runs a parser on many inputs. Each run must return a value or a coded error, and the runs must not leak memory.
 * `RUNGS_FUZZ_CASES` sets the total number of cases, `RUNGS_FUZZ_SEED` repeats one seed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describeRefusal, isErrorCode } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import fc from "fast-check";
import { readSize } from "../sizes.ts";
import { heldBytes } from "./memory.ts";

const CASES = readSize("RUNGS_FUZZ_CASES");
/** Roughly how many properties share the cases. */
const PROPERTIES = 60;
const SEED = process.env.RUNGS_FUZZ_SEED;
const CASES_PER_TURN = 50;

/** Far above what caches and compiled code take, and far below the total of a leak in every case of the long form. */
const HELD_BYTES = 64 * 1024 ** 2;

/** The length of an error, not counting names repeated from the input. */
const REFUSAL_CHARS = 4_000;

/** Defines a property test; `share` lowers its number of cases where each costs more. */
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
      // Memory from one turn of the event loop is freed only at its end.
      if (++tried % CASES_PER_TURN === 0) await nextTurn();
    });
    await fc.assert(property, { numRuns, ...seed });
    const grown = (await heldBytes()) - before;
    assert.ok(grown < HELD_BYTES, `${grown} bytes remain after ${numRuns} cases`);
    context.diagnostic(`${numRuns} cases`);
  });
}

/** How many cases a property with this share gets, with a useful minimum. */
export function countCases(share = 1): number {
  return Math.max(20, Math.round((CASES / PROPERTIES) * share));
}

/** Returns the parsed value, or undefined on a coded error; any other error fails the test. */
export function takeOrRefuse<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    assertCoded(error);
    return undefined;
  }
}

/** The same for an asynchronous parser. */
export async function settle<T>(parse: () => Promise<T>): Promise<T | undefined> {
  try {
    return await parse();
  } catch (error) {
    assertCoded(error);
    return undefined;
  }
}

/** A coded error has a code of the registry, a 4xx status, and a short body. */
export function assertCoded(error: unknown): void {
  if (!(error instanceof CodedError)) throw error;
  assert.ok(isErrorCode(error.code), error.code);
  const { status, body } = describeRefusal(error);
  assert.ok(status >= 400 && status < 500, `${status} ${error.code}`);
  assert.ok(JSON.stringify(body).length < REFUSAL_CHARS, `${error.code} says ${error.message.length} chars`);
}
