/** Answers one operation under a token: authenticate, rate-limit, authorize, parse, handle, send, audit. */
import { ApiError, describeRefusal, type Operation, requireInput } from "@rungs/contract";
import { foldToLine, sliceChars } from "@rungs/evidence";
import type { StoredToken } from "@rungs/store";
import type { Context } from "hono";
import { type AuditedRead, type AuditLog, listAuditEntries } from "../access/audit-log.ts";
import { authenticate } from "../access/authenticate.ts";
import { type Authority, authorize } from "../access/authority.ts";
import type { RateLimit } from "../access/rate-limit.ts";
import type { SourceDescriber } from "../access/sources.ts";
import { createStreamCheck } from "../access/stream-check.ts";
import { toOutageError } from "../middleware/outage.ts";
import type { ServerEnv } from "../middleware/trace.ts";
import type { GuardedName, Handler } from "../operations/handler.ts";
import type { Settings } from "../settings/options.ts";
import { readWire, requireAcceptable, resolveBaseUrl } from "./request.ts";
import { sendAnswer } from "./send-answer.ts";

const AUDITED_MAX_CHARS = 1024;

/** What requests share. */
export interface AnswerContext {
  readonly settings: Settings;
  readonly describeSources: SourceDescriber;
  readonly rateLimit: RateLimit;
  readonly auditLog: AuditLog;
}

/** Creates the route handler of an operation that needs a token. */
export function answerGuarded<Name extends GuardedName>(
  operation: Operation,
  handler: Handler<Name>,
  { settings, describeSources, rateLimit, auditLog }: AnswerContext,
): (context: Context<ServerEnv>) => Promise<Response> {
  const { store, now, limits } = settings;

  return async (context) => {
    const { req } = context;
    const now_ms = now();
    const { request_id } = context.get("trace");
    const audience = settings.audience ?? resolveBaseUrl(context, settings);
    const access = await authenticate(req.header("Authorization"), store, now_ms, audience);
    const { token } = access;
    rateLimit(token.digest);
    let authority: Authority | undefined;
    let requested: AuditedRead = {};
    const record = (status: number, bytes: number, reads: readonly AuditedRead[]) => {
      const request = { request_id, operation: operation.name, status, at_ms: now_ms, bytes };
      return auditLog(token.owner_id, listAuditEntries(request, token, authority, reads));
    };
    try {
      requireAcceptable(req.header("Accept"), operation.answer);
      authority = await authorize(access, describeSources, now_ms);
      const input = requireInput(operation, readWire(context)) as Parameters<Handler<Name>>[0]["input"];
      requested = describeRequestedRead(input);
      requireKind(operation, token);
      const call = { settings, authority, input, path: req.path, request: req.raw, now_ms };
      const working = handler(call);
      const answer = await (operation.body_line ? working : withDeadline(working, limits.answer_ms));
      const status = answer.kind === "json" ? 200 : answer.status;
      const reads = () => (answer.kind === "stream" ? answer.reads() : answer.reads);
      return await sendAnswer(context, answer, {
        finish: (bytes) => record(status, bytes, reads()),
        check: createStreamCheck(settings, describeSources, { token, audience, authority }),
        has_lines: operation.answer === "ndjson",
        limit_ms: limits.stream_ms,
      });
    } catch (error) {
      await record(describeRefusal(toOutageError(error)).status, 0, [requested]);
      throw error;
    }
  };
}

function requireKind({ kind }: Operation, token: StoredToken): void {
  if (kind === "owner" && token.kind !== "owner") throw new ApiError("owner_token_required");
}

/** What a refused request was about, as far as it was parsed. The input may hold anything, so it is sanitized for the log. */
function describeRequestedRead(input: Readonly<Record<string, unknown>>): AuditedRead {
  const text = (name: string) => {
    const value = input[name];
    return typeof value === "string" ? sliceChars(foldToLine(value), 0, AUDITED_MAX_CHARS) : undefined;
  };
  return {
    connection_id: text("connection_id"),
    stream: text("stream"),
    record_id: text("id"),
    field: text("field_path"),
  };
}

/** Fails an answer that takes too long, so that no caller waits forever. */
async function withDeadline<T>(work: Promise<T>, limit_ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `The answer took longer than ${limit_ms / 1000} seconds.`;
      reject(new ApiError("database_unavailable", { message }));
    }, limit_ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
