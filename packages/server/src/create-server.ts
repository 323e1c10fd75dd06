import { Hono } from "hono";
import { resolveBaseUrl } from "./answer/request.ts";
import { addRoutes } from "./answer/routes.ts";
import { checkEncoding, checkHost, checkSize, negotiateVersion } from "./middleware/check-request.ts";
import { handleError, refuseUnknownPath } from "./middleware/handle-error.ts";
import { logRequest, type ServerEnv, traceRequest } from "./middleware/trace.ts";
import { completeOptions, type ServerOptions } from "./settings/options.ts";

/** Creates the resource server: an app whose `fetch` answers the contract's operations from a store. */
export function createServer(options: ServerOptions): Hono<ServerEnv> {
  const settings = completeOptions(options);
  const app = new Hono<ServerEnv>();

  app.use(traceRequest());
  app.use(logRequest(settings.log, settings.now));
  app.use(negotiateVersion());
  app.use(checkHost(settings.hosts));
  app.use(checkSize(settings.limits));
  app.use(checkEncoding());
  addRoutes(app, settings);
  app.notFound(refuseUnknownPath);
  app.onError(handleError((context) => resolveBaseUrl(context, settings)));

  return app;
}
