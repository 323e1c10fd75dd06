/** A login through the owner's browser: authorization code with PKCE (RFC 7636), its answer checked against mix-up (RFC 9207). */
import type { Fetch } from "../send.ts";
import { discover, register } from "./discover.ts";
import { type Login, requestToken } from "./login.ts";
import { LoginRefused } from "./request-document.ts";

/** What a login through a browser needs. */
export interface BrowserLoginOptions {
  readonly url: string;
  readonly client_name: string;
  /** Where the browser is redirected with the answer. */
  readonly redirect_uri: string;
  readonly fetch?: Fetch | undefined;
}

/** A pending login. */
export interface BrowserLogin {
  /** The address for the owner's browser to open. */
  readonly authorization_url: string;
  /** Exchanges the address that the browser came back with for a token. */
  finish(callback: URL): Promise<Login>;
}

/** Begins a login: finds the authorization server, registers, and returns the address for the browser. */
export async function startBrowserLogin(options: BrowserLoginOptions): Promise<BrowserLogin> {
  const { url, client_name, redirect_uri, fetch = globalThis.fetch } = options;
  const server = await discover(url, fetch);
  const client_id = await register(server, { client_name, redirect_uris: [redirect_uri] }, fetch);
  const state = createSecret();
  const code_verifier = createSecret();
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: "code",
    resource: server.resource,
    state,
    code_challenge: await challengeOf(code_verifier),
    code_challenge_method: "S256",
  });
  return {
    authorization_url: `${server.authorization_endpoint}?${query}`,
    finish({ searchParams }) {
      const code = requireCode(searchParams, { state, issuer: server.issuer });
      const form = { grant_type: "authorization_code", code, code_verifier, redirect_uri };
      return requestToken({ url, client_id, server, fetch }, form);
    },
  };
}

/** Refuses an answer to another request, or from another server. */
function requireCode(answer: URLSearchParams, expected: { state: string; issuer: string }): string {
  if (answer.get("state") !== expected.state || answer.get("iss") !== expected.issuer) {
    throw new LoginRefused("invalid_response", "the answer belongs to another request");
  }
  const error = answer.get("error");
  if (error !== null) throw new LoginRefused(error, answer.get("error_description") ?? undefined);
  return answer.get("code") ?? "";
}

function createSecret(): string {
  return encode(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  return encode(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(
    /[+/=]/g,
    (char) => ({ "+": "-", "/": "_" })[char] ?? "",
  );
}
