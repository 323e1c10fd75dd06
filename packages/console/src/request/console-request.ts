import { type Client, createClient } from "@rungs/client";
import type { OpenSession } from "@rungs/server";
import type { Context } from "hono";
import type { ConsoleContext } from "../context.ts";
import { createCsrfToken } from "./csrf-token.ts";

/** A request for a page, before anyone is authenticated. */
export interface ConsoleRequest {
  readonly context: ConsoleContext;
  readonly raw: Request;
  /** The server's address as the browser sees it. */
  readonly base_url: string;
  /** A path parameter, decoded. */
  param(name: string): string;
  /** A query parameter; undefined if missing or empty. */
  query(name: string): string | undefined;
}

/** A request of the signed-in owner. */
export interface OwnerRequest extends ConsoleRequest {
  readonly session: OpenSession;
  /** Reads the resource server under the session's token. */
  readonly client: Client;
  /** Every form carries it, and every form submission must return it. */
  readonly csrf_token: string;
}

/** Wraps a request that the app received. */
export function createConsoleRequest({ req }: Context, context: ConsoleContext): ConsoleRequest {
  return {
    context,
    raw: req.raw,
    base_url: context.base_url ?? new URL(req.url).origin,
    param: (name) => req.param(name) ?? "",
    query: (name) => req.query(name) || undefined,
  };
}

/** Adds the owner's session to a request. */
export function createOwnerRequest(request: ConsoleRequest, session: OpenSession): OwnerRequest {
  const { context, raw } = request;
  const { token } = session;
  const fetchInProcess = (url: string, init: RequestInit) => context.fetch(new Request(url, init));
  // Middleware has checked the request's own host; `base_url` may be one that only a proxy answers for.
  const client = createClient({ base_url: new URL(raw.url).origin, token, fetch: fetchInProcess });
  return { ...request, session, client, csrf_token: createCsrfToken(token) };
}
