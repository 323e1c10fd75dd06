import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS = 5;
/** Far beyond what the slowest machine needs, so that only a hang fails. */
const LIMIT_MS = 120_000;

type Maybe<T> = T | false | undefined;

/** Waits until `find` returns something, without keeping a core busy. */
export async function until<T>(find: () => Maybe<T> | Promise<Maybe<T>>): Promise<T> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const found = await find();
    if (found !== false && found !== undefined) return found;
    assert.ok(Date.now() < end, `This never came: ${find}`);
    await delay(PAUSE_MS);
  }
}
