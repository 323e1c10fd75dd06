import { ServerUnreachable } from "@rungs/client";
import { CodedError } from "@rungs/evidence";
import { BrokenOff } from "../command/exit.ts";

/** Gives what arrives; when it stops arriving, says so in the words that `describe` has for it. */
export async function* untilBroken<T>(items: AsyncIterable<T>, describe: () => string): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    const isRefusal = error instanceof CodedError && error.code !== "internal_error";
    if (isRefusal || error instanceof ServerUnreachable) throw error;
    throw new BrokenOff(describe(), { cause: error });
  }
}
