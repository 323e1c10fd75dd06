import type { ErrorBody } from "@rungs/contract";
import { createSignIn } from "@rungs/server";
import { Hono, type MiddlewareHandler } from "hono";
import { createImportTurns } from "./imports/import-turns.ts";
import { type ConsoleOptions, createOwnerContexts } from "./owner-contexts.ts";
import { showBasicKey } from "./pages/sign-in.ts";
import {
  answerOwner,
  answerPublic,
  type ConsoleEnv,
  refuseUnknownPage,
  type ServerApp,
} from "./request/answer-request.ts";
import { BASIC_KEY_PATH } from "./request/basic-key.ts";
import { createPageTurns } from "./request/page-turns.ts";
import { describePolicy, POLICY } from "./request/policy.ts";
import { redirectTo } from "./request/route.ts";
import { consoleRoutes } from "./routes.ts";
import { describeRefusalPage, framePublicPage } from "./ui/page.ts";
import { ICON, PACKED_STYLE, STYLE } from "./ui/style/index.ts";

const CACHED = { "Cache-Control": "private, max-age=86400" };

/**
 * The policy for referrers is `same-origin`, not `no-referrer`: with the latter a browser sends forms with `Origin: null`,
 * which the server's origin check refuses.
 */
const SECURITY_HEADERS = {
  [POLICY]: describePolicy(),
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Adds the owners' pages to a server, under `/console`. */
export function addConsole(app: ServerApp, options: ConsoleOptions): void {
  const server = { now: Date.now, ...options };
  const contextOf = createOwnerContexts(server, {
    signIn: createSignIn(server),
    fetch: (request) => app.fetch(request),
    importTurns: createImportTurns(),
  });
  const turns = createPageTurns();
  const pages = new Hono<ConsoleEnv>();

  pages.use(secureHeaders());
  pages.get("/style.css", ({ req }) => sendStyle(req.header("Accept-Encoding")));
  pages.get(
    "/icon.svg",
    () => new Response(ICON, { headers: { ...CACHED, "Content-Type": "image/svg+xml" } }),
  );
  for (const route of consoleRoutes) {
    const answer = route.is_public ? answerPublic(route, contextOf) : answerOwner(route, contextOf, turns);
    pages.on(route.method, route.path, answer);
  }
  pages.all("*", refuseUnknownPage(contextOf, turns));
  // A person who types the address of the server wants its pages.
  for (const path of ["/", "/console/"]) app.get(path, () => redirectTo("/console"));
  app.route("/console", pages);
  const key = { method: "GET", path: BASIC_KEY_PATH, is_public: true, show: showBasicKey } as const;
  app.get(BASIC_KEY_PATH, secureHeaders(), answerPublic(key, contextOf));
}

function sendStyle(accepted: string | undefined): Response {
  const headers = { ...CACHED, "Content-Type": "text/css", Vary: "Accept-Encoding" };
  return /\bgzip\b/.test(accepted ?? "")
    ? new Response(PACKED_STYLE, { headers: { ...headers, "Content-Encoding": "gzip" } })
    : new Response(STYLE, { headers });
}

/** Middleware: sets the security headers of every page; a blob has a policy already. */
function secureHeaders(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    const { headers } = context.res;
    const policy = headers.get(POLICY) ?? describePolicy();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
    headers.set(POLICY, policy);
  };
}

/**
 * Renders a refusal as a page if it happens before routing: in a different browser from the one that a consent belongs
 * to, or while the database is down.
 */
export async function refuseWithPage(
  { url, headers }: Request,
  status: number,
  body: ErrorBody,
): Promise<Response | undefined> {
  const isPage = new URL(url).pathname.startsWith("/console") && headers.get("Accept")?.includes("text/html");
  if (!isPage) return undefined;
  const page = String(await framePublicPage(describeRefusalPage(status, body)));
  const own = { ...SECURITY_HEADERS, "Content-Type": "text/html; charset=utf-8" };
  return new Response(page, { status, headers: own });
}
