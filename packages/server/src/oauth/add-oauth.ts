import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "@rungs/contract";
import type { Context, Hono } from "hono";
import { createRateLimit } from "../access/shares.ts";
import { formatFailure, type ServerEnv } from "../middleware/pipeline.ts";
import { rewriteAgentConnect } from "./agent-connect.ts";
import { isDeviceUid } from "./consent/authorization-request.ts";
import type { OAuth } from "./create-oauth.ts";
import { answerIntrospection } from "./introspection.ts";
import { AGENT_CONNECT, CONSENT_PAGE, INTROSPECTION, oauthRoutes, paths } from "./provider/paths.ts";

interface NodePair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

const REQUEST_RATE = { burst: 300, per_second: 5 };
const TOKEN_RATE = { burst: 60, per_second: 1 };
/** Rate limits, per address, of the endpoints that store state for unauthenticated callers. */
const RATES = {
  [oauthRoutes.registration]: { burst: 30, per_second: 1 / 60 },
  [oauthRoutes.token]: TOKEN_RATE,
  [oauthRoutes.authorization]: REQUEST_RATE,
  [oauthRoutes.pushed_authorization_request]: REQUEST_RATE,
  [oauthRoutes.device_authorization]: REQUEST_RATE,
  [AGENT_CONNECT]: REQUEST_RATE,
  [`${AGENT_CONNECT}/token`]: TOKEN_RATE,
};
/** Tells the Node server that the response has already been written. */
const ALREADY_SENT = "x-hono-already-sent";

/** Adds the authorization server to an app. Call it before `addConsole`: it also guards the console's consent pages. */
export function addOAuth(app: Hono<ServerEnv>, oauth: OAuth): void {
  app.use(`${CONSENT_PAGE}/:uid`, async (context, next) => {
    requireSameBrowser(context, oauth, context.req.param("uid"));
    await next();
  });
  for (const [path, rate] of Object.entries(RATES)) {
    const limit = createRateLimit(path, rate, oauth);
    app.use(path, async (context, next) => {
      await limit(oauth.findAddress(requireNodePair(context).incoming));
      await next();
    });
  }
  for (const path of paths) app.all(path, (context) => forward(context, oauth));
  for (const path of [AGENT_CONNECT, `${AGENT_CONNECT}/token`])
    app.post(path, async (context) => {
      await rewriteAgentConnect(context.req.raw, requireNodePair(context).incoming, oauth.base_url);
      return forward(context, oauth);
    });
  app.post(INTROSPECTION, (context) => answerIntrospection(context, oauth));
}

/**
 * An attacker who starts a flow in one browser and gets the owner to approve it in another would receive the grant. A
 * device has no browser: there the owner compares its code.
 */
function requireSameBrowser(context: Context<ServerEnv>, oauth: OAuth, uid: string): void {
  if (isDeviceUid(uid)) return;
  const { incoming, outgoing } = requireNodePair(context);
  if (oauth.isSameBrowser(incoming, outgoing, uid)) return;
  throw new ApiError("not_found", {
    message: "This request was made in another browser, or has expired.",
    next: "Start again from the program that asked.",
  });
}

async function forward(context: Context<ServerEnv>, oauth: OAuth): Promise<Response> {
  const { incoming, outgoing } = requireNodePair(context);
  const trace = context.get("trace");
  trace.operation = "oauth";
  for (const [name, value] of context.res.headers) outgoing.setHeader(name, value);
  // A resumed flow has no parameters; the library fails on parameters of a flow that it does not know.
  if (context.req.param("uid") !== undefined) incoming.url = context.req.path;
  const { failure } = await oauth.handle(incoming, outgoing);
  if (failure !== undefined) trace.failure = formatFailure(failure);
  return new Response(null, { status: outgoing.statusCode, headers: { [ALREADY_SENT]: "true" } });
}

/** The library needs Node's own request and response, which exist only behind a socket. */
function requireNodePair({ env }: Context<ServerEnv>): NodePair {
  const { incoming, outgoing } = (env ?? {}) as Partial<NodePair>;
  if (!incoming || !outgoing) throw new ApiError("not_implemented");
  return { incoming, outgoing };
}
