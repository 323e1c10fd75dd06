import { setImmediate as nextTurn } from "node:timers/promises";
import type { Context } from "hono";
import { formatFailure, type ServerEnv, type Trace } from "../middleware/trace.ts";
import type { OperationAnswer } from "../operations/handler.ts";

/** Called with the size of an answer before its last byte is sent. */
export type Finish = (bytes: number) => Promise<void>;

/** Chunks, and the total of their bytes once they are sent. */
export interface CountedChunks {
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly sent: Promise<number>;
}

/** Sends an answer. `finish` has to succeed before it is complete: a read that cannot be audited is not given. */
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
 * Passes chunks on and counts their bytes. The last chunk waits for `finish`, so that no client has the whole answer before
 * it is audited; when a client disconnects early, `finish` gets the bytes sent so far.
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
      // The server may print what the stream throws: hide the store's message.
      throw new Error("The answer broke off.");
    } finally {
      if (!finished) await finish(bytes);
      resolve(bytes);
    }
  }

  return { chunks: pass(), sent };
}

/**
 * Passes chunks on and yields to the event loop after each. A fast client's socket and SQLite both respond synchronously:
 * without yielding, no other request would be answered until the whole answer is sent.
 */
export async function* yieldToEventLoop<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}
