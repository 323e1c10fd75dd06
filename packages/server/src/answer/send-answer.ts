import type { Context } from "hono";
import type { ServerEnv } from "../middleware/trace.ts";
import type { OperationAnswer } from "../operations/handler.ts";
import { countSent, type Finish } from "./count-sent.ts";
import { takeTurns } from "./yield-to-event-loop.ts";

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
      const { chunks, sent } = countSent(takeTurns(answer.chunks), finish, trace);
      trace.sent = sent;
      return context.newResponse(ReadableStream.from(chunks), answer.status, { ...answer.headers });
    }
  }
}
