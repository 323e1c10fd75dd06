import { Hono } from "hono";
import { completeOptions, type ServerOptions } from "./options.ts";
import { baseUrlOf } from "./pipeline/base-url.ts";
import { checkHost } from "./pipeline/host-check.ts";
import { logRequest } from "./pipeline/log-request.ts";
import { speakVersion } from "./pipeline/protocol-version.ts";
import { printRefusal, refuseUnknown } from "./pipeline/refusal.ts";
import { checkEncoding, checkSize } from "./pipeline/request-form.ts";
import { addRoutes } from "./pipeline/routes.ts";
import { type ServerEnv, traceRequest } from "./pipeline/trace.ts";

/** Makes the resource server: an app whose `fetch` answers the contract's operations from a store. */
export function createServer(options: ServerOptions): Hono<ServerEnv> {
  const settings = completeOptions(options);
  const app = new Hono<ServerEnv>();

  app.use(traceRequest());
  app.use(logRequest(settings.log, settings.now));
  app.use(speakVersion());
  app.use(checkHost(settings.hosts));
  app.use(checkSize(settings.limits));
  app.use(checkEncoding());
  addRoutes(app, settings);
  app.notFound(refuseUnknown);
  app.onError(printRefusal((context) => baseUrlOf(context, settings)));

  return app;
}
