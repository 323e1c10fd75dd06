import { type Operation, type OperationName, operations, requireInput } from "@rungs/contract";
import { type Context, Hono } from "hono";
import { MCP_RESOURCE } from "./access/audience.ts";
import { createAuditLog, createRefusalLog } from "./access/audit-log.ts";
import { createSourceDescriber } from "./access/authority.ts";
import { createProofChecker } from "./access/dpop.ts";
import { createShares } from "./access/shares.ts";
import { digestToken } from "./access/tokens.ts";
import { type AnswerContext, answerGuarded, type IdentifyCaller } from "./answer/answer-operation.ts";
import { readWire, requireAcceptable, resolveBaseUrl, sendJson } from "./answer/exchange.ts";
import { createLinkCheck, EXPORT_LINKS } from "./export/export-links.ts";
import { handleError, refuseUnknownPath } from "./middleware/handle-error.ts";
import {
  checkEncoding,
  checkHost,
  checkSize,
  logRequest,
  negotiateVersion,
  refuseMethod,
  type ServerEnv,
  traceRequest,
  withoutHead,
} from "./middleware/pipeline.ts";
import type { GuardedName, Handler, PublicHandler, PublicName } from "./operations/handler.ts";
import { guardedHandlers, publicHandlers } from "./operations/index.ts";
import { completeOptions, type ServerOptions, type Settings } from "./settings/options.ts";

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
  app.onError(handleError(settings, (context) => resolveBaseUrl(context, settings)));

  return app;
}

type Respond = (context: Context<ServerEnv>) => Promise<Response>;

/** Adds a route for every operation of the contract; other methods on its path get `method_not_allowed`. */
function addRoutes(app: Hono<ServerEnv>, settings: Settings): void {
  const auditLog = createAuditLog(settings.store);
  const shared: AnswerContext = {
    settings,
    describeSources: createSourceDescriber(settings.store),
    shares: createShares(settings.limits, settings),
    proofs: createProofChecker(settings.store, settings.now),
    auditLog,
    refusalLog: createRefusalLog(auditLog),
  };
  const { index, ...others } = operations;
  addIndex(app, answer(index, shared));
  const byPath = Map.groupBy(Object.values<Operation>(others), ({ path }) => path);
  for (const [path, group] of byPath) {
    for (const address of listAddresses(path)) {
      for (const operation of group) {
        app.on(operation.method, address, withoutHead(operation, group), answer(operation, shared));
      }
      app.all(address, refuseMethod(group));
    }
  }
  addSearchModes(app, shared);
  addExportLinks(app, shared);
}

/** The protocol's extensions name the mode of a search in the path. */
function addSearchModes(app: Hono<ServerEnv>, shared: AnswerContext): void {
  const operation = { ...operations.search, path: `${operations.search.path}/{mode}` };
  const address = `${operations.search.path}/:mode{semantic|hybrid}`;
  app.get(address, withoutHead(operation, [operation]), answer(operation, shared));
  app.all(address, refuseMethod([operation]));
}

/** The root is the console's for browsers, which ask for HTML, and an index for everybody else. */
function addIndex(app: Hono<ServerEnv>, respond: Respond): void {
  app.get(operations.index.path, async (context, next) => {
    if (/\btext\/html\b/i.test(context.req.header("Accept") ?? "")) return next();
    context.get("trace").operation = operations.index.name;
    return respond(context);
  });
}

/** Downloads by link: an export whose caller is identified by the link in place of a token. */
function addExportLinks(app: Hono<ServerEnv>, shared: AnswerContext): void {
  const { export: operation } = operations;
  const identify: IdentifyCaller = ({ req }, { shared: { settings, shares }, audience, signal }) => {
    const { store, now } = settings;
    const check = createLinkCheck(new URL(req.url), { store, now, audience });
    return async () => {
      const lookup = await shares.takeLookup(digestToken(req.path), signal);
      return check().finally(lookup.end);
    };
  };
  const download = answerGuarded(operation, guardedHandlers.export, shared, identify);
  app.get(`${EXPORT_LINKS}/:secret`, withoutHead(operation, [operation]), download);
}

/** The contract's `{name}` is Hono's `:name`. The MCP endpoint's metadata has a separate path. */
function listAddresses(path: string): string[] {
  const address = path.replace(/\{(\w+)\}/g, ":$1");
  return path === operations.protected_resource.path ? [address, address + MCP_RESOURCE] : [address];
}

function answer(operation: Operation, shared: AnswerContext): Respond {
  const name = operation.name as OperationName;
  return name in publicHandlers
    ? answerPublic(
        operation,
        publicHandlers[name as PublicName] as PublicHandler<PublicName>,
        shared.settings,
      )
    : answerGuarded(operation, guardedHandlers[name as GuardedName] as Handler<GuardedName>, shared);
}

function answerPublic(operation: Operation, handler: PublicHandler<PublicName>, settings: Settings): Respond {
  return async (context) => {
    requireAcceptable(context.req.header("Accept"), operation.answer);
    requireInput(operation, readWire(context));
    const body = await handler({
      settings,
      base_url: resolveBaseUrl(context, settings),
      path: context.req.path,
    });
    return sendJson(context, body);
  };
}
