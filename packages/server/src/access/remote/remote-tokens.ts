/** Tokens and grants of another authorization server. Owner and write-only tokens stay with this server. */
import { createHash } from "node:crypto";
import { type Grant, grantSchema, PROTOCOL_VERSION } from "@rungs/contract";
import type { Access, Store, StoredGrant } from "@rungs/store";
import { isOwnResource } from "../audience.ts";
import { bindDigest, digestToken, type TokenSource } from "../tokens.ts";
import {
  type AuthorizationServerOptions,
  type ClaimsReader,
  createClaimsReader,
} from "./authorization-server.ts";

/** How long a valid token is cached: a revocation takes effect within this time. */
const CACHE_MS = 10_000;
const CACHED_MAX = 1_000;
const SECOND_MS = 1000;

interface RemoteContext {
  readonly store: Store;
  readonly owner_id: string;
  readonly now: () => number;
  /** The audience of tokens for this server. */
  readonly audience: string;
}

type Claims = Readonly<Record<string, unknown>>;

interface Known {
  /** Kept for later lookups, such as those during an export. */
  readonly token: string;
  readonly until_ms: number;
  readonly claims: Promise<Claims | undefined>;
}

/** Creates the source of tokens for a resource server apart from its authorization server. */
export function createRemoteTokens(context: RemoteContext, options: AuthorizationServerOptions): TokenSource {
  const { store, now } = context;
  const readClaims = cacheClaims(createClaimsReader(options, now), now);
  return {
    async findAccess(digest, token) {
      const local = await store.findAccess(digest);
      if (local && local.token.kind !== "client") return local;
      const claims = await readClaims(digest, token);
      return claims && toAccess({ ...context, subject: options.subject }, digest, claims);
    },
  };
}

/** Concurrent lookups of a token share one. */
function cacheClaims(readClaims: ClaimsReader, now: () => number) {
  const known = new Map<string, Known>();
  return async (digest: string, presented: string | undefined) => {
    const found = known.get(digest);
    const token = presented ?? found?.token;
    if (token === undefined) return undefined;
    if (found && found.until_ms > now()) return found.claims;
    const claims = readClaims(token).then((read) =>
      read && isBoundTo(digest, token, read) ? read : undefined,
    );
    known.delete(digest);
    known.set(digest, { token, until_ms: now() + CACHE_MS, claims });
    for (const oldest of known.keys()) {
      if (known.size <= CACHED_MAX) break;
      known.delete(oldest);
    }
    // Only what is valid is remembered.
    const forget = () => {
      if (known.get(digest)?.claims === claims) known.delete(digest);
    };
    claims.then((valid) => valid ?? forget(), forget);
    return claims;
  };
}

/** A token that is bound to a key comes with a proof of it, which its digest shows; any other comes without (RFC 9449 §6). */
function isBoundTo(digest: string, token: string, { cnf }: Claims): boolean {
  const jkt = (cnf as { jkt?: unknown } | undefined)?.jkt;
  return digest === bindDigest(digestToken(token), cnf === undefined ? undefined : String(jkt));
}

/** The access that the claims give; undefined if they are about another person, for another server, or of an unknown kind. */
async function toAccess(
  { store, owner_id, audience, subject }: RemoteContext & Pick<AuthorizationServerOptions, "subject">,
  digest: string,
  claims: Claims,
): Promise<Access | undefined> {
  const { client_id, exp, iat } = claims;
  const kind = claims.pdpp_token_kind ?? ("authorization_details" in claims ? "client" : undefined);
  if (kind !== "client" && kind !== "owner") return undefined;
  if ((claims.subject_id ?? claims.sub) !== subject || !isFor(claims, audience)) return undefined;
  const grant = kind === "client" ? parseGrant(owner_id, claims) : undefined;
  const kept = grant && (await keepGrant(store, owner_id, grant));
  return {
    token: {
      digest,
      owner_id,
      kind,
      client_id: kind === "client" ? String(client_id) : "owner",
      // An unparseable grant grants nothing, and the client is told so.
      grant_ids: kind === "client" ? [grant?.grant_id ?? "unknown"] : [],
      created_at: formatTime(iat) ?? new Date(0).toISOString(),
      ...(exp === undefined ? {} : { expires_at: formatTime(exp) }),
    },
    grants: kept ? [kept] : [],
    connections: await store.listConnections(owner_id),
    exclusions: await store.listExclusions(owner_id),
  };
}

function isFor({ aud }: Claims, audience: string): boolean {
  if (aud === undefined) return true;
  return [aud].flat().some((each) => typeof each === "string" && isOwnResource(each, audience));
}

/** Members of a detail that state a purpose and limit nothing. */
const INFORMATIVE = [
  "access_mode",
  "client_claims",
  "purpose_code",
  "purpose_description",
  "retention",
  "selection_preset",
];

/** The grant in the claims; undefined if it has an unknown member, which might limit it. */
function parseGrant(owner_id: string, claims: Claims): Grant | undefined {
  const { client_id, authorization_details: details, pdpp_budget: budget } = claims;
  if (typeof client_id !== "string" || !Array.isArray(details)) return undefined;
  const first = (details[0] ?? {}) as Claims;
  const parsed = grantSchema.safeParse({
    version: PROTOCOL_VERSION,
    grant_id: claims.grant_id ?? nameGrant(client_id, details),
    issued_at: formatTime(claims.iat) ?? new Date(0).toISOString(),
    subject: { id: owner_id },
    client: { client_id },
    access_mode: "continuous",
    purpose_code: first.purpose_code ?? "https://pdpp.dev/purpose/unknown",
    authorization_details: details.map(omitInformative),
    ...(budget === undefined ? {} : { budget }),
  });
  return parsed.success ? parsed.data : undefined;
}

function omitInformative(detail: unknown): unknown {
  if (detail === null || typeof detail !== "object") return detail;
  return Object.fromEntries(Object.entries(detail).filter(([name]) => !INFORMATIVE.includes(name)));
}

function nameGrant(client_id: string, details: readonly unknown[]): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([client_id, details]))
    .digest("base64url");
  return `remote_${digest}`;
}

/** Keeps a copy, for masks, budgets and lists, which the owner may revoke. A grant never changes: other content under its id is refused. */
async function keepGrant(store: Store, owner_id: string, grant: Grant): Promise<StoredGrant | undefined> {
  const find = () => store.getGrant(owner_id, grant.grant_id);
  // Of two concurrent requests, one stores the copy and the other finds it.
  const put = () => store.putGrant(owner_id, grant).catch(() => undefined);
  const kept = (await find()) ?? (await put().then(find));
  return kept && formatLimits(kept.grant) === formatLimits(grant) ? kept : undefined;
}

function formatLimits({ client, authorization_details, budget }: Grant): string {
  return JSON.stringify([client.client_id, authorization_details, budget]);
}

function formatTime(seconds: unknown): string | undefined {
  return typeof seconds === "number" && Math.abs(seconds) < 1e11
    ? new Date(seconds * SECOND_MS).toISOString()
    : undefined;
}
