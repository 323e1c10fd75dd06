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
  /** For introspection; without it, tokens have to be JWTs. */
  readonly credential?: { readonly client_id: string; readonly client_secret: string } | undefined;
}

/** The claims of a token that is valid now; undefined for any other. */
export type ClaimsReader = (token: string) => Promise<Readonly<Record<string, unknown>> | undefined>;

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES = 1024 * 1024;
/** Nothing says that a JWT was revoked: one that is valid longer than this is refused. */
const JWT_MS = 10 * 60 * 1000;
const ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];

/** Creates the function that reads claims, by introspection if there is a credential, else from JWTs. */
export function createClaimsReader(
  { issuer, credential }: AuthorizationServerOptions,
  now: () => number,
): ClaimsReader {
  const metadata = createMetadataReader(issuer);
  if (credential) {
    return async (token) =>
      introspect(requireAddress(await metadata(), "introspection_endpoint"), token, credential);
  }
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  return async (token) => {
    keys ??= createRemoteJWKSet(new URL(requireAddress(await metadata(), "jwks_uri")), {
      timeoutDuration: TIMEOUT_MS,
    });
    return verify(token, issuer, keys, now);
  };
}

async function introspect(
  address: string,
  token: string,
  { client_id, client_secret }: NonNullable<AuthorizationServerOptions["credential"]>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const pair = [client_id, client_secret].map((part) => encodeURIComponent(part)).join(":");
  const answer = await requestJson(address, {
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
    return (exp - iat) * 1000 <= JWT_MS ? payload : undefined;
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    const isOurs = code === "ERR_JWKS_TIMEOUT" || !code.startsWith("ERR_J");
    if (isOurs) throw unavailable();
    return undefined;
  }
}

/** Reads the metadata once; after a failure, again. */
function createMetadataReader(issuer: string): () => Promise<Readonly<Record<string, unknown>>> {
  let known: Promise<Readonly<Record<string, unknown>>> | undefined;
  return () => {
    known ??= readMetadata(issuer).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function readMetadata(issuer: string): Promise<Readonly<Record<string, unknown>>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const address of addresses) {
    const metadata = await requestJson(address, {}).catch(() => undefined);
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

async function requestJson(address: string, init: RequestInit): Promise<Record<string, unknown>> {
  try {
    const answer = await fetch(address, {
      ...init,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
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
