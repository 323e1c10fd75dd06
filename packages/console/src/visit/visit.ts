import { type Client, createClient } from "@rungs/client";
import type { OpenSession } from "@rungs/server";
import type { Context } from "hono";
import type { ConsoleParts } from "../parts.ts";
import { createFormToken } from "./form-token.ts";

/** An app's own `fetch`. */
export type AppFetch = (request: Request) => Response | Promise<Response>;

/** Somebody at a page: the request, and what its address says. */
export interface Guest {
  readonly parts: ConsoleParts;
  readonly request: Request;
  /** The server's address as the visitor sees it. */
  readonly base_url: string;
  /** A part of the path, decoded. */
  param(name: string): string;
  /** A parameter of the address; undefined when it is missing or empty. */
  query(name: string): string | undefined;
}

/** The owner at a page. */
export interface Visit extends Guest {
  readonly session: OpenSession;
  /** Reads the resource server under the session's token. */
  readonly client: Client;
  /** Goes into every form, and is wanted back with it. */
  readonly form_token: string;
}

/** Reads a request as a visit of nobody in particular. */
export function createGuest({ req }: Context, parts: ConsoleParts): Guest {
  return {
    parts,
    request: req.raw,
    base_url: parts.base_url ?? new URL(req.url).origin,
    param: (name) => req.param(name) ?? "",
    query: (name) => req.query(name) || undefined,
  };
}

/** Makes a guest the owner, under the token of a session. */
export function createVisit(guest: Guest, session: OpenSession): Visit {
  const { parts, request } = guest;
  const { token } = session;
  const inProcess = (url: string, init: RequestInit) => parts.fetch(new Request(url, init));
  // The host of the request has been checked; `base_url` may name one that only a proxy answers for.
  const client = createClient({ base_url: new URL(request.url).origin, token, fetch: inProcess });
  return { ...guest, session, client, form_token: createFormToken(token) };
}
