import type { Fetch } from "../send.ts";
import { type Document, LoginRefused, requestDocument, requireMember } from "./request-document.ts";

/** Where a resource server's tokens come from. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** What the token is for. */
  readonly resource: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint: string;
  readonly device_authorization_endpoint: string | undefined;
}

/** Finds out where a resource server's tokens come from (RFC 9728, then RFC 8414). */
export async function discover(url: string, fetch: Fetch): Promise<AuthorizationServer> {
  const about = await requestDocument(fetch, `${url}/.well-known/oauth-protected-resource`);
  const resource = requireMember(about, "resource");
  // RFC 9728 §3.3: ignore a document about another resource.
  if (new URL(resource).origin !== new URL(url).origin) {
    throw new LoginRefused("invalid_response", `it speaks of ${resource}`);
  }
  const [issuer] = Array.isArray(about.authorization_servers) ? about.authorization_servers : [];
  if (typeof issuer !== "string")
    throw new LoginRefused("invalid_response", "it names no authorization server");
  const metadata = await requestDocument(
    fetch,
    `${new URL(issuer).origin}/.well-known/oauth-authorization-server`,
  );
  // RFC 8414 §3.3.
  if (metadata.issuer !== issuer)
    throw new LoginRefused("invalid_response", `${issuer} names a different issuer`);
  return {
    issuer,
    resource,
    authorization_endpoint: requireAddress(metadata, "authorization_endpoint"),
    token_endpoint: requireAddress(metadata, "token_endpoint"),
    registration_endpoint: requireAddress(metadata, "registration_endpoint"),
    device_authorization_endpoint:
      metadata.device_authorization_endpoint === undefined
        ? undefined
        : requireAddress(metadata, "device_authorization_endpoint"),
  };
}

/**
 * A member that must be a web address, normalized as by a browser. The server is untrusted, and the system opens the
 * address or a terminal prints it.
 */
export function requireAddress(document: Document, name: string): string {
  const url = URL.parse(requireMember(document, name));
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new LoginRefused("invalid_response", `its ${name} is not an http or https address`);
}

/** Registers a public client (RFC 7591); returns its id. */
export async function register(
  { registration_endpoint }: AuthorizationServer,
  metadata: Readonly<Record<string, unknown>>,
  fetch: Fetch,
): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ token_endpoint_auth_method: "none", ...metadata });
  return requireMember(
    await requestDocument(fetch, registration_endpoint, { method: "POST", headers, body }),
    "client_id",
  );
}
