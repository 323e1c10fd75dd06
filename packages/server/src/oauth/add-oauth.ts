import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "@rungs/contract";
import type { Context, Hono } from "hono";
import { createRateLimit } from "../access/rate-limit.ts";
import { formatFailure, type ServerEnv } from "../middleware/trace.ts";
import { isDeviceUid } from "./consent/authorization-request.ts";
import type { OAuth } from "./create-oauth.ts";
import { answerIntrospection } from "./introspection.ts";
import { CONSENT_PAGE, INTROSPECTION, oauthRoutes, paths } from "./provider/paths.ts";

interface Pair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

const ASKING_RATE = { burst: 300, per_second: 5 };
/** Whatever anybody may have remembered here has its bounds. */
const RATES = {
  [oauthRoutes.registration]: { burst: 30, per_second: 1 / 60 },
  [oauthRoutes.authorization]: ASKING_RATE,
  [oauthRoutes.pushed_authorization_request]: ASKING_RATE,
  [oauthRoutes.device_authorization]: ASKING_RATE,
};
/** Tells the Node server that the answer has been written. */
const ALREADY_SENT = "x-hono-already-sent";

/** Gives a server its authorization server. Before `addConsole`: what the console answers about consent is guarded here. */
export function addOAuth(app: Hono<ServerEnv>, oauth: OAuth): void {
  app.use(`${CONSENT_PAGE}/:uid`, async (context, next) => {
    requireSameBrowser(context, oauth, context.req.param("uid"));
    await next();
  });
  for (const [path, rate] of Object.entries(RATES)) {
    const limit = createRateLimit(rate, oauth.now);
    app.use(path, async (_context, next) => {
      limit(path);
      await next();
    });
  }
  for (const path of paths) app.all(path, (context) => forward(context, oauth));
  app.post(INTROSPECTION, (context) => answerIntrospection(context, oauth));
}

/**
 * Whoever starts a flow in one browser and gets the owner to agree in another would get what the owner agreed to. A device
 * has no browser: there the owner compares its code.
 */
function requireSameBrowser(context: Context<ServerEnv>, oauth: OAuth, uid: string): void {
  if (isDeviceUid(uid)) return;
  const { incoming, outgoing } = requirePair(context);
  if (oauth.isSameBrowser(incoming, outgoing, uid)) return;
  throw new ApiError("not_found", {
    message: "This question was asked in another browser, or is over.",
    next: "Start again from the program that asked.",
  });
}

async function forward(context: Context<ServerEnv>, oauth: OAuth): Promise<Response> {
  const { incoming, outgoing } = requirePair(context);
  const trace = context.get("trace");
  trace.operation = "oauth";
  for (const [name, value] of context.res.headers) outgoing.setHeader(name, value);
  // A flow that goes on has no parameters; the library fails on those of a flow that it does not know.
  if (context.req.param("uid") !== undefined) incoming.url = context.req.path;
  const { failure } = await oauth.handle(incoming, outgoing);
  if (failure !== undefined) trace.failure = formatFailure(failure);
  return new Response(null, { status: outgoing.statusCode, headers: { [ALREADY_SENT]: "true" } });
}

/** The library speaks to Node's own requests, which there are only behind a socket. */
function requirePair({ env }: Context<ServerEnv>): Pair {
  const { incoming, outgoing } = (env ?? {}) as Partial<Pair>;
  if (!incoming || !outgoing) throw new ApiError("not_implemented");
  return { incoming, outgoing };
}
