/** Answers one operation under a token: authenticate, take a share, authorize, parse, handle, send, audit. */
import {
  ApiError,
  describeRefusal,
  type Operation,
  requireInput,
  SHORTENS_HEADER,
  SPECIFICATION_VERSION,
} from "@rungs/contract";
import { foldToLine, sliceChars } from "@rungs/evidence";
import type { Access, Caller, StoredToken } from "@rungs/store";
import type { Context } from "hono";
import {
  type AuditedRead,
  type AuditedRequest,
  type AuditLog,
  listAuditEntries,
} from "../access/audit-log.ts";
import { type Authority, authorize, createStreamCheck, type SourceDescriber } from "../access/authority.ts";
import {
  createBudgetMeter,
  createSpending,
  describeAsked,
  isCounted,
  openPaidAnswers,
  requireBudgetLeft,
} from "../access/budget.ts";
import type { ProofChecker } from "../access/dpop.ts";
import { findLane, type Shares } from "../access/shares.ts";
import {
  bindDigest,
  digestToken,
  findDigest,
  type PresentedToken,
  requireAccess,
  requireCredential,
} from "../access/tokens.ts";
import type { Turn } from "../access/turns.ts";
import { toOutageError } from "../middleware/outage.ts";
import { PROVEN_KEY, type ServerEnv } from "../middleware/pipeline.ts";
import type { GuardedName, Handler } from "../operations/handler.ts";
import { addProtocolMembers } from "../protocol/answers.ts";
import { readProtocolQuery } from "../protocol/inputs.ts";
import type { Settings } from "../settings/options.ts";
import {
  readWire,
  requireAcceptable,
  resolveBaseUrl,
  sendAnswer,
  type WatchedCaller,
  watchCaller,
} from "./exchange.ts";

const AUDITED_MAX_CHARS = 1024;

/** How a request ended, for the audit log. */
type Outcome = Pick<AuditedRequest, "status" | "bytes" | "progress">;

/** State that all requests share. */
export interface AnswerContext {
  readonly settings: Settings;
  readonly describeSources: SourceDescriber;
  readonly shares: Shares;
  readonly proofs: ProofChecker;
  readonly auditLog: AuditLog;
  /** Records refused requests. */
  readonly refusalLog: AuditLog;
}

/** Creates the route handler of an operation that needs a token: takes a share for the caller, and answers. */
export function answerGuarded<Name extends GuardedName>(
  operation: Operation,
  handler: Handler<Name>,
  shared: AnswerContext,
  identifyCaller: IdentifyCaller = identifyByToken,
): (context: Context<ServerEnv>) => Promise<Response> {
  const { settings, shares } = shared;
  const answer = createAnswer(operation, handler, shared);

  return async (context) => {
    const { req } = context;
    const audience = resolveAudience(context, settings);
    const caller = watchCaller(req.raw, settings.limits.answer_ms);
    const identify = identifyCaller(context, { shared, audience, signal: caller.signal });
    let share: Turn | undefined;
    try {
      const access = await identify();
      share = await shares.takeRequest(access.token, operation, caller.signal, access.quota?.requests);
      // The grant may have ended while the request waited.
      const response = await answer(context, share.hasWaited ? await identify() : access, caller);
      caller.signal.addEventListener("abort", share.end, { once: true });
      context.get("trace").sent?.finally(share.end) ?? share.end();
      return response;
    } catch (error) {
      share?.end();
      throw error;
    } finally {
      caller.stopClock();
    }
  };
}

/** Creates the function that identifies the caller; it runs again after a wait. */
export type IdentifyCaller = (context: Context<ServerEnv>, lookup: CallerLookup) => () => Promise<Access>;

interface CallerLookup {
  readonly shared: Pick<AnswerContext, "settings" | "shares" | "proofs">;
  readonly audience: string;
  readonly signal: AbortSignal;
}

const identifyByToken: IdentifyCaller = (context, { shared, audience, signal }) => {
  const { settings, shares, proofs } = shared;
  const { req, env } = context;
  const { pathname } = new URL(req.url);
  const presenting = {
    method: req.method,
    url: resolveBaseUrl(context, settings) + pathname,
    proof: req.header("DPoP"),
  };
  // A proof works once, and a request that waits is identified again.
  let presented: PresentedToken | undefined;
  let isUsed = false;
  return async () => {
    const credential = requireCredential(req.header("Authorization"));
    const lookup = await shares.takeLookup(digestToken(credential.token), signal);
    try {
      presented ??=
        env?.[PROVEN_KEY] === undefined
          ? await findDigest(credential, presenting, proofs)
          : { digest: bindDigest(digestToken(credential.token), env[PROVEN_KEY]), proof: undefined };
      const { digest, proof } = presented;
      const { token } = credential;
      const access = await requireAccess({ digest, token }, settings.tokens, settings.now(), audience);
      if (proof && !isUsed) await proofs.requireFirstUse(proof, access.token.owner_id);
      isUsed = true;
      return access;
    } finally {
      lookup.end();
    }
  };
};

/** Creates the function that answers an identified caller: authorize, parse, handle, send, audit. */
function createAnswer<Name extends GuardedName>(
  operation: Operation,
  handler: Handler<Name>,
  { settings: shared, describeSources, auditLog, refusalLog }: AnswerContext,
) {
  return async (context: Context<ServerEnv>, access: Access, caller: WatchedCaller): Promise<Response> => {
    const { req } = context;
    const { token } = access;
    const now_ms = shared.now();
    const { request_id } = context.get("trace");
    // A watch must see changes on the primary, where they are written, and a write must read its own writes.
    const mayLag = operation.kind === "client" && operation.name !== "watch";
    const reader: Caller = {
      lane: findLane(token),
      signal: caller.signal,
      write_version: mayLag ? access.write_version : undefined,
    };
    const store = shared.store.forCaller(reader);
    const settings = { ...shared, store };
    let authority: Authority | undefined;
    let requested: AuditedRead = {};
    const record = (outcome: Outcome, reads: readonly AuditedRead[]) => {
      const request = { request_id, operation: operation.name, at_ms: now_ms, ...outcome };
      const log = outcome.status < 400 ? auditLog : refusalLog;
      return log(token.owner_id, listAuditEntries(request, token, authority, reads));
    };
    try {
      requireAcceptable(req.header("Accept"), operation.answer);
      if (token.kind === "writer") requireKind(operation, token);
      authority = await authorize(access, describeSources, now_ms);
      const isSpecified = context.get("version") === SPECIFICATION_VERSION;
      const name = operation.name as Name;
      const wire = isSpecified ? readProtocolQuery(name, readWire(context), authority) : readWire(context);
      const input = requireInput(operation, wire) as Parameters<Handler<Name>>[0]["input"];
      requested = describeRequestedRead(input);
      requireKind(operation, token);
      const call = {
        settings,
        authority,
        input,
        path: req.path,
        request: req.raw,
        now_ms,
        token_digest: token.digest,
      };
      const metered = isMetered(authority)
        ? {
            caller: { store, owner_id: authority.owner_id, grants: authority.grants, now: shared.now },
            paid: openPaidAnswers(store, authority.owner_id),
            asked: describeAsked(token.digest, operation.name, input, now_ms),
          }
        : undefined;
      const shortens = req.header(SHORTENS_HEADER);
      if (metered && isCounted(operation.name)) {
        const isPaid = shortens && (await metered.paid.isShortened(shortens, metered.asked));
        if (!isPaid) await requireBudgetLeft(metered.caller);
      }
      const working = handler(call);
      // A write continues without its caller, so that the audit log records its outcome.
      const given = await (operation.kind === "client" ? caller.withSignal(working) : working);
      const answer =
        given.kind === "json" && isSpecified
          ? { ...given, body: addProtocolMembers(name, given.body, call) }
          : given;
      const status = answer.kind === "json" ? (operation.status ?? 200) : answer.status;
      const reads = () => (answer.kind === "stream" ? answer.reads() : answer.reads);
      const check = createStreamCheck(settings, describeSources, {
        token,
        audience: resolveAudience(context, settings),
        authority,
      });
      return await sendAnswer(context, answer, {
        begin: () => record({ status, bytes: 0, progress: "begun" }, reads().map(omitCounts)),
        spend: metered
          ? createSpending(createBudgetMeter(metered.caller), () => countRecords(reads()), {
              paid: answer.kind === "json" ? metered.paid : undefined,
              request_id,
              shortens,
              answer: metered.asked,
            })
          : async () => undefined,
        // The schema of a field window is fixed.
        shows_budget: operation.name !== "read_record_field",
        finish: (bytes, progress) => record({ status, bytes, progress }, reads()),
        async check() {
          const { write_version } = await check();
          // What follows must be at least as fresh as a request that begins now.
          if (mayLag) reader.write_version = write_version;
        },
        status: operation.status ?? 200,
        has_lines: operation.answer === "ndjson",
        limit_ms: settings.limits.stream_ms,
      });
    } catch (error) {
      await record({ status: describeRefusal(toOutageError(error)).status, bytes: 0 }, [requested]);
      throw error;
    }
  };
}

function isMetered({ grants }: Authority): boolean {
  return grants.some(({ budget }) => budget);
}

/** How many records an answer shows: those that it counts, or those that it names, in part or whole. */
function countRecords(reads: readonly AuditedRead[]): number {
  const counted = reads.reduce((sum, { records = 0 }) => sum + records, 0);
  const named = reads.filter(({ record_id }) => record_id !== undefined);
  const ids = named.map(({ connection_id, stream, record_id }) => `${connection_id}/${stream}:${record_id}`);
  return Math.max(counted, new Set(ids).size);
}

/** What a stream is about to read, before anything is counted. */
function omitCounts({ records: _, bytes: __, ...read }: AuditedRead): AuditedRead {
  return read;
}

function resolveAudience(context: Context<ServerEnv>, settings: Settings): string {
  return settings.audience ?? resolveBaseUrl(context, settings);
}

function requireKind({ kind }: Operation, token: StoredToken): void {
  if (token.kind === "owner" || token.kind === kind) return;
  throw new ApiError(token.kind === "writer" ? "write_only_token" : "owner_token_required");
}

/**
 * What a refused request was about, as far as it parsed. The input may hold anything, so it is sanitized for the log.
 */
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
