/** Browsers that the owner has signed in with. A session is a secret of the browser's, the owner token that is made of it, and a note about both. */
import { createHmac, randomBytes } from "node:crypto";
import { parseTimeMs } from "@rungs/contract";
import type { State, Store } from "@rungs/store";
import { isLive } from "../access/authenticate.ts";
import { createToken, digestToken } from "../access/bearer.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

/** The client that the owner's pages are, in tokens and in the audit trail. */
export const CONSOLE_CLIENT = "console";

const KIND = "session";
const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** A visit is written down once in this time, not with every page. */
const NOTED_MS = 10 * 60 * 1000;
const AGENT_MAX_CHARS = 200;

/** What is remembered of a session; nobody but this file writes it. */
interface SessionState {
  readonly created_at: string;
  readonly used_at: string;
  /** What the browser calls itself. */
  readonly agent: string;
}

/** A signed-in browser. */
export interface Session extends SessionState {
  /** The digest of its token, which names it and opens nothing. */
  readonly session_id: string;
  readonly expires_at: string;
}

/** A session that its secret has opened, with the token that its pages read under. */
export interface OpenSession extends Session {
  readonly token: string;
}

/** A session's token, and the digest under which it is kept. */
export interface SessionToken {
  readonly token: string;
  readonly digest: string;
}

/** Asking for a key waits for writers, and pages should not. */
const keys = new WeakMap<Store, string>();

/** Starts a session under a secret that nobody has seen before, and gives it: the only time it is known. */
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

/** The session that a secret opens; undefined when it has ended or never was. */
export async function findSession(owner: OwnerContext, secret: string): Promise<OpenSession | undefined> {
  const { store, owner_id, now } = owner;
  const { token, digest } = await deriveSessionToken(store, secret);
  const state = await store.getState(owner_id, KIND, digest);
  // The note alone proves nothing: a visit that is being written down may come after the session's end.
  const kept = state && (await store.findToken(digest));
  if (!state || !kept || !isLive(kept, now())) return undefined;
  const note = state.value as SessionState;
  if (now() - (parseTimeMs(note.used_at) ?? 0) >= NOTED_MS) {
    await store.putState(owner_id, { ...state, value: { ...note, used_at: new Date(now()).toISOString() } });
  }
  return { ...describe(state), token };
}

/** Every session that has not ended, the latest first. */
export async function listSessions({ store, owner_id }: OwnerContext): Promise<Session[]> {
  const sessions = (await store.listState(owner_id, KIND)).map(describe);
  return sessions.sort((a, b) => b.used_at.localeCompare(a.used_at));
}

/** Ends a session: its token opens nothing from the next request on. */
export async function endSession(owner: OwnerContext, session_id: string): Promise<void> {
  const { store, owner_id, now } = owner;
  if (!(await store.takeState(owner_id, KIND, session_id))) return;
  await store.revokeToken(owner_id, session_id, new Date(now()).toISOString());
  await recordEvent(owner, "session_ended");
}

function describe({ id: session_id, value, expires_at_ms = 0 }: State): Session {
  return { session_id, ...(value as SessionState), expires_at: new Date(expires_at_ms).toISOString() };
}

/** The token that belongs to a session's secret. */
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
