import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Passes chunks on, one in each turn of the event loop. A fast reader's socket takes each at once, and SQLite gives the next at once:
 * without a pause nobody else would be answered until the answer is sent.
 */
export async function* takeTurns<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}
