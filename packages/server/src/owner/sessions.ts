/** Signed-in browsers. A session is a secret that the browser holds, the owner token derived from it, and stored state about both. */
import { createHmac, randomBytes } from "node:crypto";
import { parseTimeMs } from "@rungs/contract";
import type { State, Store } from "@rungs/store";
import { createToken, digestToken, isLive } from "../access/tokens.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

/** The client id of the console, in tokens and in the audit log. */
export const CONSOLE_CLIENT = "console";

const KIND = "session";
const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** The minimum interval between updates of `used_at`, so that not every page writes it. */
const USED_AT_MS = 10 * 60 * 1000;
const AGENT_MAX_CHARS = 200;
/** How long a sign-in counts as recent. */
const FRESH_MS = 15 * 60 * 1000;

/** The stored state of a session; only this file writes it. */
interface SessionState {
  readonly created_at: string;
  readonly used_at: string;
  /** The browser's `User-Agent`. */
  readonly agent: string;
}

/** A signed-in browser. */
export interface Session extends SessionState {
  /** The digest of its token: identifies the session and grants no access. */
  readonly session_id: string;
  readonly expires_at: string;
}

/** A session found by its secret, with its owner and the token that its pages read with. */
export interface OpenSession extends Session {
  readonly owner_id: string;
  readonly token: string;
}

/** A session's token, and the digest under which it is stored. */
interface SessionToken {
  readonly token: string;
  readonly digest: string;
}

/** Cached session keys: reading a secret waits for writers, and pages should not. */
const keys = new WeakMap<Store, string>();

/** Starts a session under a new secret and returns the secret, which is not stored. */
export async function startSession(owner: OwnerContext, agent: string): Promise<string> {
  const { store, owner_id, now } = owner;
  const secret = createToken();
  const { digest } = await deriveSessionToken(store, secret);
  await recordEvent(owner, "sign_in");
  const created_at = new Date(now()).toISOString();
  const expires_at_ms = now() + SESSION_MS;
  await store.putToken({
    digest,
    owner_id,
    kind: "owner",
    client_id: CONSOLE_CLIENT,
    grant_ids: [],
    created_at,
    expires_at: new Date(expires_at_ms).toISOString(),
  });
  const value: SessionState = { created_at, used_at: created_at, agent: agent.slice(0, AGENT_MAX_CHARS) };
  await store.putState(owner_id, { kind: KIND, id: digest, value, expires_at_ms });
  return secret;
}

/** Finds the session of a secret, of any owner; undefined when it has ended or never existed. */
export async function findSession(
  { store, now }: Pick<OwnerContext, "store" | "now">,
  secret: string,
): Promise<OpenSession | undefined> {
  const { token, digest } = await deriveSessionToken(store, secret);
  // The state alone proves nothing: a concurrent update of `used_at` can write it again after the session ended.
  const kept = await store.findToken(digest);
  if (!kept || !isLive(kept, now())) return undefined;
  const { owner_id } = kept;
  const state = await store.getState(owner_id, KIND, digest);
  if (!state) return undefined;
  const session = state.value as SessionState;
  if (now() - (parseTimeMs(session.used_at) ?? 0) >= USED_AT_MS) {
    const used_at = new Date(now()).toISOString();
    await store.putState(owner_id, { ...state, value: { ...session, used_at } });
  }
  return { ...describe(state), owner_id, token };
}

/** Whether the owner signed in a short time ago. */
export function isFreshSession({ created_at }: Session, now_ms: number): boolean {
  return now_ms - (parseTimeMs(created_at) ?? 0) < FRESH_MS;
}

/** Lists every session that has not ended, the most recently used first. */
export async function listSessions({ store, owner_id }: OwnerContext): Promise<Session[]> {
  const sessions = (await store.listState(owner_id, KIND)).map(describe);
  return sessions.sort((a, b) => b.used_at.localeCompare(a.used_at));
}

/** Ends a session: its token is invalid from the next request on. */
export async function endSession(owner: OwnerContext, session_id: string): Promise<void> {
  const { store, owner_id, now } = owner;
  if (!(await store.takeState(owner_id, KIND, session_id))) return;
  await store.revokeToken(owner_id, session_id, new Date(now()).toISOString());
  await recordEvent(owner, "session_ended");
}

function describe({ id: session_id, value, expires_at_ms = 0 }: State): Session {
  return { session_id, ...(value as SessionState), expires_at: new Date(expires_at_ms).toISOString() };
}

/**
 * Derives the token that a session's pages read with: a MAC of the browser's secret under a server key. A stolen secret
 * therefore opens pages, which show the owner what happens, but neither REST nor MCP.
 */
async function deriveSessionToken(store: Store, secret: string): Promise<SessionToken> {
  const mac = createHmac("sha256", await readKey(store)).update(secret);
  const token = `rungs_${mac.digest("base64url")}`;
  return { token, digest: digestToken(token) };
}

async function readKey(store: Store): Promise<string> {
  const known = keys.get(store);
  if (known !== undefined) return known;
  const key = await store.getSecret("session", () => randomBytes(32).toString("base64url"));
  keys.set(store, key);
  return key;
}
