/** Answers a request for a page: authenticate, check the CSRF token, call the page, frame its content. */
import { ApiError, describeRefusal } from "@rungs/contract";
import { type createServer, formatFailure } from "@rungs/server";
import type { Context, Env, Handler, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ContextOf } from "../owner-contexts.ts";
import { CSRF_FIELD } from "../ui/form.ts";
import type { Html } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { describeRefusalPage, framePage, framePublicPage, type PageContent, REST } from "../ui/page.ts";
import {
  type ConsoleRequest,
  createConsoleRequest,
  createOwnerRequest,
  type OwnerRequest,
} from "./console-request.ts";
import { requireCsrfToken } from "./csrf-token.ts";
import type { PageTurns } from "./page-turns.ts";
import { describePolicy, POLICY } from "./policy.ts";
import { type OwnerRoute, type PageAnswer, type PublicRoute, redirectTo } from "./route.ts";
import { findBrowserSession } from "./session-secret.ts";

/** The app that hosts the console. */
export type ServerApp = ReturnType<typeof createServer>;
/** What the app's middleware stores about a request. */
export type ConsoleEnv = ServerApp extends Hono<infer E extends Env> ? E : never;

type HonoContext = Context<ConsoleEnv>;
type Respond = Handler<ConsoleEnv>;

const FORM_MAX_BYTES = 1024 ** 2;
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Answers a route that requires no session. */
export function answerPublic(route: PublicRoute, contextOf: ContextOf): Respond {
  return async (hono) => {
    const request = createConsoleRequest(hono, contextOf());
    const answer = await refusing(hono, async () =>
      route.method === "GET" ? route.show(request) : route.act(request, await readForm(request.raw)),
    );
    return send(hono, answer, framePublicPage);
  };
}

/** Answers a route that requires a session, when it is the owner's turn; redirects to the sign-in page without one. */
export function answerOwner(route: OwnerRoute, contextOf: ContextOf, turns: PageTurns): Respond {
  return async (hono) => {
    const visit = createConsoleRequest(hono, contextOf());
    const found = await refusing(hono, () => findSessionInTurn(visit, turns));
    if ("title" in found) return send(hono, found, framePublicPage);
    if (!found.session) return redirectToSignIn(hono, visit);
    const { session } = found;
    const owner = createOwnerRequest({ ...visit, context: contextOf(session.owner_id) }, session);
    const answer = keepKey(await refusing(hono, () => callInTurn(route, owner, turns)));
    const { pathname } = new URL(owner.raw.url);
    return send(hono, answer, (content) => framePage(content, pathname, owner));
  };
}

/** A browser drops its Basic key, and with it the session, on a 401; so a wrong password in a form is a 403. */
function keepKey(answer: PageAnswer): PageAnswer {
  return !(answer instanceof Response) && answer.status === 401 ? { ...answer, status: 403 } : answer;
}

/** Answers 404 to an unknown address. */
export function refuseUnknownPage(contextOf: ContextOf, turns: PageTurns): Respond {
  const show = async () => {
    throw new ApiError("not_found", {
      message: "There is no such page.",
      next: "Its address may be misspelt, or what it showed may be deleted.",
    });
  };
  return answerOwner({ method: "GET", path: "*", show }, contextOf, turns);
}

/** A session in an object, which is no page. */
async function findSessionInTurn(visit: ConsoleRequest, turns: PageTurns) {
  const turn = await turns.takeLookup(visit.raw);
  try {
    return { session: await findBrowserSession(visit) };
  } finally {
    turn.end();
  }
}

/** An upload takes as long as its browser sends; those have their own limit. */
async function callInTurn(route: OwnerRoute, request: OwnerRequest, turns: PageTurns): Promise<PageAnswer> {
  if ("upload" in route) return callRoute(route, request);
  const turn = await turns.takePage(request.context.owner_id, request.raw);
  let rest: Promise<unknown> | undefined;
  try {
    const answer = await callRoute(route, request);
    if (!(answer instanceof Response)) ({ rest } = answer);
    return answer;
  } finally {
    if (rest) rest.then(turn.end, turn.end);
    else turn.end();
  }
}

async function callRoute(route: OwnerRoute, request: OwnerRequest): Promise<PageAnswer> {
  if (route.method === "GET") return route.show(request);
  if ("upload" in route) return route.upload(request);
  const form = await readForm(request.raw);
  requireCsrfToken(form.get(CSRF_FIELD), request.csrf_token);
  return route.act(request, form);
}

/** Reads a URL-encoded form; refuses other media types and bodies over the limit. */
async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE) {
    throw new ApiError("unsupported_media_type", { next: `Send ${FORM_TYPE}, as the pages' forms do.` });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > FORM_MAX_BYTES) throw new ApiError("request_too_large", { max_bytes: FORM_MAX_BYTES });
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

function redirectToSignIn(hono: HonoContext, { raw }: ConsoleRequest): Promise<Response> {
  const { pathname, search } = new URL(raw.url);
  const next = raw.method === "GET" ? pathname + search : undefined;
  return send(hono, redirectTo(withQuery("/console/sign-in", { next })), framePublicPage);
}

/** Turns an error into a page. The details of a bug go to the log only. */
async function refusing<T>(hono: HonoContext, answer: () => Promise<T>): Promise<T | PageContent> {
  try {
    return await answer();
  } catch (error) {
    return describeError(hono, error);
  }
}

function describeError(hono: HonoContext, error: unknown): PageContent {
  const trace = hono.get("trace");
  const { status, body } = describeRefusal(error, trace.request_id);
  trace.code = body.error.code;
  if (body.error.code === "internal_error") trace.failure = formatFailure(error);
  return describeRefusalPage(status, body);
}

async function send(
  hono: HonoContext,
  answer: PageAnswer,
  frame: (content: PageContent) => ReturnType<typeof framePublicPage>,
): Promise<Response> {
  hono.get("trace").operation = "console";
  // Build the response through the context, so that it gets the headers that middleware has set.
  if (answer instanceof Response) {
    return hono.newResponse(
      answer.body,
      answer.status as ContentfulStatusCode,
      Object.fromEntries(answer.headers),
    );
  }
  const text = String(await frame(answer));
  const { status = 200, rest } = answer;
  const headers = {
    ...answer.headers,
    [POLICY]: describePolicy(text),
    "Content-Type": "text/html; charset=utf-8",
  };
  if (rest) {
    const shown = rest.catch((error) => describeError(hono, error).body);
    return hono.body(ReadableStream.from(cutPage(text, shown)), status as ContentfulStatusCode, headers);
  }
  return hono.body(text, status as ContentfulStatusCode, {
    ...headers,
    "Content-Length": String(Buffer.byteLength(text)),
  });
}

/** Send the part before `rest` at once. */
async function* cutPage(text: string, rest: Promise<Html>): AsyncGenerator<Uint8Array> {
  const [before = "", after = ""] = text.split(String(REST));
  yield Buffer.from(before);
  yield Buffer.from(`${await rest}${after}`);
}
