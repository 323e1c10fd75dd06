/** One page, step by step: who comes, from where, what they want, and the frame around it. */
import { ApiError, describeRefusal } from "@rungs/contract";
import { formatFailure } from "@rungs/server";
import type { Context, Handler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ConsoleEnv } from "../add-console.ts";
import type { ConsoleParts } from "../parts.ts";
import { frameGuestPage, framePage } from "../ui/frame.ts";
import { withQuery } from "../ui/links.ts";
import { describeRefusalPage } from "../ui/refusal-page.ts";
import { goTo, type PageAnswer, type PageContent } from "./answer.ts";
import { findBrowserSession } from "./browser-secret.ts";
import { FORM_TOKEN, requireFormToken } from "./form-token.ts";
import { readForm } from "./read-form.ts";
import type { GuestRoute, OwnerRoute } from "./route.ts";
import { createGuest, createVisit, type Guest, type Visit } from "./visit.ts";

type Respond = Handler<ConsoleEnv>;

/** Answers at a page that needs no session. */
export function answerGuest(route: GuestRoute, parts: ConsoleParts): Respond {
  return async (context) => {
    const guest = createGuest(context, parts);
    const answer = await refusing(context, async () =>
      route.method === "GET" ? route.show(guest) : route.act(guest, await readForm(context.req.raw)),
    );
    return send(context, answer, frameGuestPage);
  };
}

/** Answers at a page of the owner's; others are asked to sign in. */
export function answerOwner(route: OwnerRoute, parts: ConsoleParts): Respond {
  return async (context) => {
    const guest = createGuest(context, parts);
    const visit = await findVisit(guest);
    if (!visit) return askToSignIn(context, guest);
    const answer = await refusing(context, () => answerVisit(route, visit));
    return send(context, answer, (content) => framePage(content, visit));
  };
}

/** Says that there is no such page. */
export function refuseUnknownPage(parts: ConsoleParts): Respond {
  const show = async () => {
    throw new ApiError("not_found", {
      message: "There is no such page.",
      next: "Go on from the first page.",
    });
  };
  return answerOwner({ method: "GET", path: "*", show }, parts);
}

async function answerVisit(route: OwnerRoute, visit: Visit): Promise<PageAnswer> {
  if (route.method === "GET") return route.show(visit);
  if ("upload" in route) return route.upload(visit);
  const form = await readForm(visit.request);
  requireFormToken(form.get(FORM_TOKEN), visit.form_token);
  return route.act(visit, form);
}

async function findVisit(guest: Guest): Promise<Visit | undefined> {
  const session = await findBrowserSession(guest);
  return session && createVisit(guest, session);
}

function askToSignIn(context: Context<ConsoleEnv>, { request }: Guest): Response | Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const next = request.method === "GET" ? pathname + search : undefined;
  return send(context, goTo(withQuery("/console/sign-in", { next })), frameGuestPage);
}

/** A refusal is a page too; a bug tells the log where it is and the visitor nothing. */
async function refusing(
  context: Context<ConsoleEnv>,
  answer: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  try {
    return await answer();
  } catch (error) {
    const trace = context.get("trace");
    const { status, body } = describeRefusal(error, trace.request_id);
    trace.code = body.error.code;
    if (body.error.code === "internal_error") trace.failure = formatFailure(error);
    return describeRefusalPage(status, body);
  }
}

async function send(
  context: Context<ConsoleEnv>,
  answer: PageAnswer,
  frame: (content: PageContent) => ReturnType<typeof frameGuestPage>,
): Promise<Response> {
  context.get("trace").operation = "console";
  // Made anew from its parts, the answer gets the headers that every answer of the server has.
  if (answer instanceof Response) {
    return context.newResponse(
      answer.body,
      answer.status as ContentfulStatusCode,
      Object.fromEntries(answer.headers),
    );
  }
  const text = String(await frame(answer));
  return context.body(text, (answer.status ?? 200) as ContentfulStatusCode, {
    ...answer.headers,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(text)),
  });
}
