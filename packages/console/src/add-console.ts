import { createHistogramReader, type createServer, createSignIn } from "@rungs/server";
import { type Env, Hono } from "hono";
import { showKey } from "./pages/key.ts";
import type { ConsoleParts } from "./parts.ts";
import { consoleRoutes } from "./routes.ts";
import { ICON, STYLE } from "./ui/style/index.ts";
import { answerGuest, answerOwner, refuseUnknownPage } from "./visit/answer-visit.ts";
import { secureHeaders } from "./visit/headers.ts";
import { KEY_PATH } from "./visit/port-key.ts";

type App = ReturnType<typeof createServer>;
/** What the server's steps know of a request. */
export type ConsoleEnv = App extends Hono<infer E extends Env> ? E : never;

/** What a console is made of. */
export type ConsoleOptions = Omit<ConsoleParts, "signIn" | "readTimeline" | "fetch" | "now"> &
  Partial<Pick<ConsoleParts, "now">>;

const CACHED = { "Cache-Control": "private, max-age=86400" };

/** Gives a server the owner's pages, under `/console`. */
export function addConsole(app: App, options: ConsoleOptions): void {
  const owner = { now: Date.now, ...options };
  const parts = {
    ...owner,
    signIn: createSignIn(owner),
    readTimeline: createHistogramReader(owner),
    fetch: (request: Request) => app.fetch(request),
  };
  const pages = new Hono<ConsoleEnv>();

  pages.use(secureHeaders());
  pages.get("/style.css", () => new Response(STYLE, { headers: { ...CACHED, "Content-Type": "text/css" } }));
  pages.get(
    "/icon.svg",
    () => new Response(ICON, { headers: { ...CACHED, "Content-Type": "image/svg+xml" } }),
  );
  for (const route of consoleRoutes) {
    const answer = route.guest ? answerGuest(route, parts) : answerOwner(route, parts);
    pages.on(route.method, route.path, answer);
  }
  pages.all("*", refuseUnknownPage(parts));
  app.route("/console", pages);
  const key = { method: "GET", path: KEY_PATH, guest: true, show: showKey } as const;
  app.get(KEY_PATH, secureHeaders(), answerGuest(key, parts));
}
