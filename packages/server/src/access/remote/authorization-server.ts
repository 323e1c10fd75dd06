/** Another authorization server: its metadata (RFC 8414), its introspection (RFC 7662) and its keys (RFC 9068). */
import { ApiError } from "@rungs/contract";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import { isLoopback } from "../audience.ts";

/** Which server is trusted, and how this one authenticates to it. */
export interface AuthorizationServerOptions {
  /** Its issuer identifier: an https address, or one of this machine. */
  readonly issuer: string;
  /** The `sub` of the person whose data this server has: tokens of others are refused. */
  readonly subject: string;
  /** How long one of its answers may take. */
  readonly timeout_ms?: number | undefined;
  /** For introspection; without it, tokens have to be JWTs. */
  readonly credential?: { readonly client_id: string; readonly client_secret: string } | undefined;
}

/** The claims of a token that is valid now; undefined for any other. */
export type ClaimsReader = (token: string) => Promise<Readonly<Record<string, unknown>> | undefined>;

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES = 1024 * 1024;
/** A JWT cannot be revoked: one that is valid longer than this is refused. */
const JWT_MS = 10 * 60 * 1000;
/** The error codes of jose that concern the keys and not the token. */
const KEYS_MISSING = ["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"];
const ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];

/** Creates the function that reads claims, by introspection if there is a credential, else from JWTs. */
export function createClaimsReader(
  { issuer, credential, timeout_ms = TIMEOUT_MS }: AuthorizationServerOptions,
  now: () => number,
): ClaimsReader {
  const request: JsonRequest = (address, init) => requestJson(address, init, timeout_ms);
  const metadata = createMetadataReader(issuer, request);
  if (credential) {
    return async (token) =>
      introspect(request, requireAddress(await metadata(), "introspection_endpoint"), token, credential);
  }
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  return async (token) => {
    keys ??= createRemoteJWKSet(new URL(requireAddress(await metadata(), "jwks_uri")), {
      timeoutDuration: timeout_ms,
    });
    return verify(token, issuer, keys, now);
  };
}

/** Requests a JSON document, or throws `authorization_server_unavailable`. */
type JsonRequest = (address: string, init: RequestInit) => Promise<Record<string, unknown>>;

async function introspect(
  request: JsonRequest,
  address: string,
  token: string,
  { client_id, client_secret }: NonNullable<AuthorizationServerOptions["credential"]>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const pair = [client_id, client_secret].map((part) => encodeURIComponent(part)).join(":");
  const answer = await request(address, {
    method: "POST",
    headers: {
      Authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
      "Content-Type": "application/x-www-form-urlencoded",
      Accept: "application/json",
    },
    body: new URLSearchParams({ token, token_type_hint: "access_token" }).toString(),
  });
  return answer.active === true ? answer : undefined;
}

/** RFC 9068 §4. */
async function verify(
  token: string,
  issuer: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  now: () => number,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      typ: "at+jwt",
      algorithms: ALGORITHMS,
      currentDate: new Date(now()),
      requiredClaims: ["exp", "iat", "aud", "sub", "client_id", "jti"],
    });
    const { exp = 0, iat = 0 } = payload;
    // A token may claim that it will be issued later: then its lifetime counts from now.
    const begins_ms = Math.min(iat * 1000, now());
    return exp * 1000 - begins_ms <= JWT_MS ? payload : undefined;
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (KEYS_MISSING.includes(code) || !code.startsWith("ERR_J")) throw unavailable();
    return undefined;
  }
}

/** Reads the metadata once, and again after a failure. */
function createMetadataReader(
  issuer: string,
  request: JsonRequest,
): () => Promise<Readonly<Record<string, unknown>>> {
  let known: Promise<Readonly<Record<string, unknown>>> | undefined;
  return () => {
    known ??= readMetadata(issuer, request).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function readMetadata(
  issuer: string,
  request: JsonRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const address of addresses) {
    const metadata = await request(address, {}).catch(() => undefined);
    if (metadata?.issuer === issuer) return metadata;
  }
  throw unavailable();
}

function requireAddress(metadata: Readonly<Record<string, unknown>>, name: string): string {
  const text = metadata[name];
  if (typeof text === "string" && URL.canParse(text) && isProtected(new URL(text))) return text;
  throw unavailable(`The authorization server names no ${name} that is safe to use.`);
}

/** Tokens and secrets do not leave this machine unencrypted. */
export function isProtected({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

async function requestJson(
  address: string,
  init: RequestInit,
  timeout_ms: number,
): Promise<Record<string, unknown>> {
  try {
    const answer = await fetch(address, {
      ...init,
      redirect: "error",
      signal: AbortSignal.timeout(timeout_ms),
    });
    const text = await readText(answer);
    const body: unknown = answer.ok ? JSON.parse(text) : undefined;
    if (body !== null && typeof body === "object") return body as Record<string, unknown>;
  } catch {}
  throw unavailable();
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > ANSWER_BYTES) throw unavailable();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function unavailable(message?: string): ApiError {
  return new ApiError("authorization_server_unavailable", message === undefined ? {} : { message });
}
