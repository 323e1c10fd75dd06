import type { Fetch } from "../send.ts";
import type { AuthorizationServer } from "./discover.ts";
import { type Document, readMember, requireMember, submitForm } from "./request-document.ts";

/** A token with what it takes to get the next one. */
export interface Login {
  /** The server that it reads from. */
  readonly url: string;
  readonly token_endpoint: string;
  readonly resource: string;
  readonly client_id: string;
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_at_ms?: number | undefined;
}

/** Which server to ask for tokens, as which client, over which `fetch`. */
export interface Asker {
  readonly url: string;
  readonly client_id: string;
  readonly server: Pick<AuthorizationServer, "token_endpoint" | "resource">;
  readonly fetch: Fetch;
}

/** Exchanges a grant (a code, a device code or a refresh token) for a login. */
export async function requestToken(
  { url, client_id, server, fetch }: Asker,
  form: Readonly<Record<string, string>>,
): Promise<Login> {
  const { token_endpoint, resource } = server;
  const answer = await submitForm(fetch, token_endpoint, { client_id, resource, ...form });
  const refresh_token = readMember(answer, "refresh_token");
  const expires_at_ms = computeExpiry(answer);
  return {
    url,
    token_endpoint,
    resource,
    client_id,
    access_token: requireMember(answer, "access_token"),
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(expires_at_ms === undefined ? {} : { expires_at_ms }),
  };
}

/** Refreshes a login. Refresh tokens rotate: the old one is invalid afterwards. */
export function refreshLogin(login: Login, fetch: Fetch = globalThis.fetch): Promise<Login> {
  const { url, client_id, token_endpoint, resource, refresh_token = "" } = login;
  const asker = { url, client_id, server: { token_endpoint, resource }, fetch };
  return requestToken(asker, { grant_type: "refresh_token", refresh_token });
}

function computeExpiry({ expires_in }: Document): number | undefined {
  return typeof expires_in === "number" ? Date.now() + expires_in * 1000 : undefined;
}
