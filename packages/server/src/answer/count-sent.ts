import { formatFailure } from "../middleware/failure.ts";
import type { Trace } from "../middleware/trace.ts";

/** Told how many bytes an answer has, before it is finished. */
export type Finish = (bytes: number) => Promise<void>;

/** Chunks that are counted while they pass, and the count when they have. */
export interface CountedChunks {
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly sent: Promise<number>;
}

/**
 * Passes chunks on and counts them. The last one waits for `finish`, so that nobody has the whole answer before it is
 * recorded; a reader who leaves early is recorded with what was passed on.
 */
export function countSent(source: AsyncIterable<Uint8Array>, finish: Finish, trace: Trace): CountedChunks {
  const { promise: sent, resolve } = Promise.withResolvers<number>();

  async function* pass(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let finished = false;
    let held: Uint8Array | undefined;
    try {
      for await (const chunk of source) {
        if (held) yield held;
        held = chunk;
        bytes += chunk.length;
      }
      finished = true;
      await finish(bytes);
      if (held) yield held;
    } catch (error) {
      trace.failure = formatFailure(error);
      // Whoever reads the stream may print what it threw: not what the store said.
      throw new Error("The answer broke off.");
    } finally {
      if (!finished) await finish(bytes);
      resolve(bytes);
    }
  }

  return { chunks: pass(), sent };
}
