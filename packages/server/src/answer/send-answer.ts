import { setImmediate as nextTurn } from "node:timers/promises";
import type { Context } from "hono";
import { formatFailure, type ServerEnv, type Trace } from "../middleware/trace.ts";
import type { OperationAnswer } from "../operations/handler.ts";

/** Told how many bytes an answer has, before it is finished. */
export type Finish = (bytes: number) => Promise<void>;

/** Chunks that are counted while they pass, and the count when they have. */
export interface CountedChunks {
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly sent: Promise<number>;
}

/** Writes an answer. It is complete only when `finish` is done: a read that cannot be recorded is not given. */
export async function sendAnswer(
  context: Context<ServerEnv>,
  answer: OperationAnswer<unknown>,
  finish: Finish,
): Promise<Response> {
  switch (answer.kind) {
    case "json": {
      const text = JSON.stringify(answer.body);
      const bytes = Buffer.byteLength(text);
      await finish(bytes);
      return context.body(text, 200, {
        "Content-Type": "application/json",
        "Content-Length": String(bytes),
      });
    }
    case "empty":
      await finish(0);
      return context.newResponse(null, answer.status, { ...answer.headers });
    case "stream": {
      const trace = context.get("trace");
      const { chunks, sent } = countSent(yieldToEventLoop(answer.chunks), finish, trace);
      trace.sent = sent;
      return context.newResponse(ReadableStream.from(chunks), answer.status, { ...answer.headers });
    }
  }
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

/**
 * Passes chunks on, one in each turn of the event loop. A fast reader's socket takes each at once, and SQLite gives the next at once:
 * without a pause nobody else would be answered until the answer is sent.
 */
export async function* yieldToEventLoop<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}
