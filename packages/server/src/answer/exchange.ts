/** The HTTP side of an answer: what the request accepts, whether its caller still waits, and how the answer is sent. */
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import {
  type AnswerForm,
  ApiError,
  BUDGET_HEADER,
  type BudgetLeft,
  describeRefusal,
  formatBudgetLeft,
  type WireRequest,
} from "@rungs/contract";
import type { Context } from "hono";
import { toOutageError } from "../middleware/outage.ts";
import { formatFailure, type ServerEnv, type Trace } from "../middleware/pipeline.ts";
import type { OperationAnswer } from "../operations/handler.ts";
import type { Settings } from "../settings/options.ts";

/** What happens around an answer while it is sent. */
export interface Sending {
  /**
   * Records a stream before its first byte is sent. Like `finish`, it must succeed: a read that cannot be audited gets
   * no answer.
   */
  begin(): Promise<void>;
  /** Records a complete answer, or the end of a stream, before its last byte is sent. */
  finish(bytes: number, progress?: "ended" | "broken"): Promise<void>;
  /** Charges bytes to the grant's budget before they are sent, or throws; returns what is left (R83). */
  spend(bytes: number): Promise<BudgetLeft | undefined>;
  /** Whether a JSON answer has a member `budget`; the header is always sent. */
  readonly shows_budget: boolean;
  /** The status of an answer in JSON. */
  readonly status: 200 | 201 | 202;
  /** Throws when a stream may not continue; called before each chunk. */
  check(): Promise<void>;
  /** Whether a stream consists of lines: one that breaks off ends with the error as its last line. */
  readonly has_lines: boolean;
  /** How long a stream may last. */
  readonly limit_ms: number;
}

/** The grace period beyond its limit for a stream whose client does not read: `check` ends those whose client does. */
const GRACE_MS = 5_000;
/** A pause before the connection breaks: a client that sees the break drops its unread lines. */
const LAST_LINE_MS = 100;
const NEWLINE = "\n".charCodeAt(0);

/** Chunks, and the total of their bytes once they are sent. */
export interface CountedChunks {
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly sent: Promise<number>;
  /** Ends the stream before its end, and records it as broken off. */
  leave(): Promise<void>;
}

/** Sends an answer. */
export async function sendAnswer(
  context: Context<ServerEnv>,
  answer: OperationAnswer<unknown>,
  sending: Sending,
): Promise<Response> {
  switch (answer.kind) {
    case "json":
      return sendCounted(context, answer.body, sending);
    case "empty":
      await sending.spend(0);
      await sending.finish(0);
      return context.newResponse(null, answer.status, { ...answer.headers });
    case "stream": {
      // What is left before this answer: its length is known only at its end.
      const budget = await sending.spend(0);
      if (budget) context.header(BUDGET_HEADER, formatBudgetLeft(budget));
      await sending.begin();
      const trace = context.get("trace");
      const counted = countSent(yieldToEventLoop(answer.chunks), sending, trace);
      trace.sent = counted.sent;
      const body = createBody(counted, sending.limit_ms + GRACE_MS);
      return context.newResponse(body, answer.status, { ...answer.headers });
    }
  }
}

/** Sends a JSON document that was charged to the budget, with what is left. */
async function sendCounted(context: Context<ServerEnv>, body: unknown, sending: Sending): Promise<Response> {
  const budget = await sending.spend(Buffer.byteLength(JSON.stringify(body)));
  const finish = (bytes: number) => sending.finish(bytes);
  if (budget === undefined) return sendJson(context, body, finish, sending.status);
  context.header(BUDGET_HEADER, formatBudgetLeft(budget));
  const shown = sending.shows_budget ? { ...(body as object), budget } : body;
  return sendJson(context, shown, finish, sending.status);
}

/** Sends a JSON document once `finish` has succeeded. */
export async function sendJson(
  context: Context<ServerEnv>,
  body: unknown,
  finish: Sending["finish"] = async () => undefined,
  status: Sending["status"] = 200,
): Promise<Response> {
  const text = JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  await finish(bytes);
  return context.body(text, status, { "Content-Type": "application/json", "Content-Length": String(bytes) });
}

/**
 * Passes chunks on, each after a check, and counts their bytes. The last chunk waits for `finish`, so that no client has the
 * whole answer before it is audited; when the stream breaks off, `finish` gets the bytes sent so far.
 */
export function countSent(
  source: AsyncIterable<Uint8Array>,
  { finish, check, has_lines, spend }: Pick<Sending, "finish" | "check" | "has_lines" | "spend">,
  trace: Trace,
): CountedChunks {
  const { promise: sent, resolve } = Promise.withResolvers<number>();
  let isStarted = false;

  async function* pass(): AsyncGenerator<Uint8Array> {
    isStarted = true;
    let bytes = 0;
    let isFinished = false;
    let isLineOpen = false;
    let held: Uint8Array | undefined;
    const count = (chunk: Uint8Array): Uint8Array => {
      bytes += chunk.length;
      isLineOpen = chunk.at(-1) !== NEWLINE;
      return chunk;
    };
    try {
      for await (const chunk of source) {
        await check();
        if (held) yield count(held);
        await spend(chunk.length);
        held = chunk;
      }
      await check();
      if (held) count(held);
      isFinished = true;
      await finish(bytes, "ended");
      if (held) yield held;
    } catch (error) {
      const { body } = describeRefusal(toOutageError(error), trace.request_id);
      trace.code = body.error.code;
      if (trace.code === "internal_error") trace.failure = formatFailure(error);
      if (has_lines) {
        yield Buffer.from(`${isLineOpen ? "\n" : ""}${JSON.stringify(body)}\n`);
        await delay(LAST_LINE_MS);
      }
      // The server may print what the stream throws: hide the store's message.
      throw new Error("The answer broke off.");
    } finally {
      if (!isFinished) await finish(bytes, "broken");
      resolve(bytes);
    }
  }

  const chunks = pass();
  return {
    chunks,
    sent,
    async leave() {
      // A generator that was never asked for a chunk does not run its `finally`.
      if (!isStarted) {
        isStarted = true;
        resolve(0);
        await finish(0, "broken");
      }
      await chunks.return(undefined);
    },
  };
}

/** The chunks as a body that breaks off after `limit_ms`, even when the client reads nothing. */
function createBody({ chunks, leave }: CountedChunks, limit_ms: number): ReadableStream<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setTimeout(() => {
          isLate = true;
          controller.error(new Error("The answer broke off."));
          void leave().catch(() => undefined);
        }, limit_ms).unref();
      },
      async pull(controller) {
        const { done, value } = await chunks.next().catch((error) => {
          clearTimeout(timer);
          throw error;
        });
        if (isLate) return;
        if (!done) return controller.enqueue(value);
        clearTimeout(timer);
        controller.close();
      },
      async cancel() {
        clearTimeout(timer);
        await leave();
      },
    },
    { highWaterMark: 0 },
  );
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

/** Reads what answering needs from a request. */

const TYPES: Partial<Record<AnswerForm, string>> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
};

/** Throws when the caller does not accept the operation's media type (RFC 9110 §12.5.1). */
export function requireAcceptable(accept: string | undefined, form: AnswerForm): void {
  const type = TYPES[form];
  if (type === undefined || accept === undefined || accept.trim() === "") return;
  const isAccepted = accept.split(",").some((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return !isRefused && [type, "application/*", "*/*"].includes(name);
  });
  if (!isAccepted) throw new ApiError("not_acceptable");
}

/** The URL of this server as the caller sees it; `checkHost` has validated the host. */
export function resolveBaseUrl({ req }: Context<ServerEnv>, { base_url }: Settings): string {
  return base_url ?? new URL(req.url).origin;
}

/** The parts of a request that the contract parses. */
export function readWire({ req }: Context<ServerEnv>): WireRequest {
  return {
    path: req.param(),
    query: new URL(req.url).searchParams,
    header: (name) => req.header(name),
  };
}

/** What is known of the caller of a request. */
export interface WatchedCaller {
  /** Aborts when the caller hangs up, or the answer is late; the reason is a coded error. */
  readonly signal: AbortSignal;
  /** Fails as soon as the signal aborts, so that no caller waits for work that does not end. */
  withSignal<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock: the answer is there, or has failed. */
  stopClock(): void;
}

/** Watches the caller of a request, who gets an answer within `limit_ms`. */
export function watchCaller(request: Request, limit_ms: number): WatchedCaller {
  const caller = new AbortController();
  const hangUp = () => caller.abort(new ApiError("read_cancelled"));
  const clock = setTimeout(() => caller.abort(createLateError(limit_ms)), limit_ms);
  if (request.signal.aborted) hangUp();
  else request.signal.addEventListener("abort", hangUp, { once: true });
  const { signal } = caller;
  return {
    signal,
    async withSignal(work) {
      const aborted = Promise.withResolvers<never>();
      const abort = () => aborted.reject(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
      try {
        return await Promise.race([work, aborted.promise]);
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
    stopClock: () => clearTimeout(clock),
  };
}

function createLateError(limit_ms: number): ApiError {
  return new ApiError("database_unavailable", {
    message: `The answer took longer than ${limit_ms / 1000} seconds.`,
  });
}
