/** Lists and revokes issued tokens and credentials. The owner names them by a prefix of their digest, which grants no access. */
import { ApiError } from "@rungs/contract";
import type { StoredToken } from "@rungs/store";
import { isLive } from "../access/tokens.ts";
import { recordEvent } from "./audit-events.ts";
import { endIntrospector, listIntrospectors } from "./introspectors.ts";
import type { OwnerContext } from "./owner-context.ts";
import { CONSOLE_CLIENT, endSession } from "./sessions.ts";

/** A token of the owner, of a client under a grant, of a connector that writes or of a signed-in browser, or a credential for introspection. */
export interface TokenSummary {
  /** A prefix of its digest. */
  readonly token_id: string;
  readonly kind: "owner" | "client" | "writer" | "session" | "introspection";
  readonly client_id: string;
  readonly grant_ids: readonly string[];
  readonly created_at?: string | undefined;
  readonly expires_at?: string | undefined;
  /** When it was revoked before it expired. */
  readonly revoked_at?: string | undefined;
  readonly is_live: boolean;
}

const ID_CHARS = 12;
/** Shorter prefixes would become ambiguous sooner or later. */
const ID = /^[0-9a-f]{8,64}$/;

/** Lists every issued token, newest first; ended ones stay for a month. */
export async function listTokens(owner: OwnerContext): Promise<TokenSummary[]> {
  return (await listIssued(owner)).map(summarize);
}

/** Revokes the one token whose id begins with `token_id`, effective with the next request; returns an ended one unchanged. */
export async function revokeToken(owner: OwnerContext, token_id: string): Promise<TokenSummary> {
  const key = await requireIssued(owner, token_id);
  const { digest, kind, client_id, is_live } = key;
  if (!is_live) return summarize(key);
  const revoked_at = new Date(owner.now()).toISOString();
  if (kind === "session") {
    await endSession(owner, digest);
  } else {
    if (kind === "introspection") await endIntrospector(owner, digest);
    else await owner.store.revokeToken(owner.owner_id, digest, revoked_at);
    await recordEvent(owner, "token_revoked", { client_id });
  }
  return summarize({ ...key, revoked_at, is_live: false });
}

interface IssuedToken extends Omit<TokenSummary, "token_id"> {
  readonly digest: string;
}

async function listIssued(owner: OwnerContext): Promise<IssuedToken[]> {
  const { store, owner_id, now } = owner;
  const tokens = (await store.listTokens(owner_id)).map((token) => describeToken(token, now()));
  const introspectors = (await listIntrospectors(owner)).map(
    ({ owner_id: _, ...each }): IssuedToken => ({
      ...each,
      kind: "introspection",
      grant_ids: [],
      is_live: true,
    }),
  );
  return [...introspectors, ...tokens].sort((a, b) => ((a.created_at ?? "") < (b.created_at ?? "") ? 1 : -1));
}

function describeToken(token: StoredToken, now_ms: number): IssuedToken {
  const { digest, kind, client_id, grant_ids, created_at, expires_at, revoked_at } = token;
  const isSession = kind === "owner" && client_id === CONSOLE_CLIENT;
  return {
    digest,
    kind: isSession ? "session" : kind,
    client_id,
    grant_ids,
    created_at,
    expires_at,
    revoked_at,
    is_live: isLive(token, now_ms),
  };
}

async function requireIssued(owner: OwnerContext, token_id: string): Promise<IssuedToken> {
  const next = "List the tokens with rungs token list.";
  const found = ID.test(token_id)
    ? (await listIssued(owner)).filter(({ digest }) => digest.startsWith(token_id))
    : [];
  const [key, ...others] = found;
  if (!key) throw new ApiError("not_found", { message: "There is no token with this id.", next });
  if (others.length === 0) return key;
  const message = "Several tokens have an id with this prefix.";
  throw new ApiError("invalid_request", { param: "id", message, next: "Give more characters of the id." });
}

function summarize({ digest, ...key }: IssuedToken): TokenSummary {
  return { token_id: digest.slice(0, ID_CHARS), ...key };
}
