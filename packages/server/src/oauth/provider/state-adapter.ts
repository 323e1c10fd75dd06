/**
 * Storage adapter for oidc-provider. State is in the store, so that several servers share it and a restart loses
 * nothing. Secrets are stored only as digests (R53).
 */
import { type Adapter, type AdapterPayload, errors, Provider } from "oidc-provider";
import { bindDigest, digestToken } from "../../access/tokens.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import { endGrantFamily, findGrant, findGrantOwner } from "./grant-family.ts";
import { formatStateKind, formatUnusedKind } from "./models.ts";

type Payload = AdapterPayload & Readonly<Record<string, unknown>> & { readonly jkt?: string };

/** Single-use models: codes and tokens, and requests, which are answered once. */
const ONCE: readonly string[] = [
  "AuthorizationCode",
  "RefreshToken",
  "DeviceCode",
  "Interaction",
  "PushedAuthorizationRequest",
];
/** How long to keep a registered client that the owner never approved. */
const UNUSED_CLIENT_MS = 7 * 24 * 60 * 60 * 1000;
/** How many such clients to keep. */
const UNUSED_CLIENTS = 200;
/** The members of a refresh token that detect its second use. */
const TRACE: readonly string[] = ["kind", "clientId", "grantId", "accountId", "scope", "jkt", "iat", "exp"];
/** Prefix of ids that are already digests: those of device codes found by their user code. */
const BY_DIGEST = "#";

/** Creates the adapter of one model. Requests begin before it is known who will answer them: the state is the program's. */
export function createStateAdapter(program: OwnerContext, model: string): Adapter {
  const { store, owner_id } = program;
  const kind = formatStateKind(model);
  const unused = formatUnusedKind(model);

  async function read(key: string): Promise<Payload | undefined> {
    return (await store.getState(owner_id, kind, key))?.value as Payload | undefined;
  }

  /** At the token endpoint, the library revokes a grant only for a replayed token. */
  async function endFamily(
    grant_id: string,
    why = Provider.ctx?.oidc.route === "token" ? ("token_reused" as const) : ("grant_returned" as const),
  ): Promise<void> {
    const owner = await findGrantOwner(program, grant_id);
    if (owner) await endGrantFamily(owner, grant_id, why);
  }

  return {
    async upsert(id, payload, expires_in) {
      const key = toStateKey(id);
      const expires_at_ms = computeExpiry(model, expires_in);
      const bundle = model === "Grant" ? id : payload.grantId;
      const state = { expires_at_ms, bundle };
      if (ONCE.includes(model) && payload.result === undefined) {
        await store.putState(owner_id, { ...state, kind: unused, id: key, value: {} });
      }
      if (isOpenDevice(payload)) {
        const user = { kind: formatStateKind("UserCode"), id: digestToken(payload.userCode), value: { key } };
        await store.putState(owner_id, { ...user, expires_at_ms });
      }
      await store.putState(owner_id, { ...state, kind, id: key, value: withoutSecrets(payload) });
      if (model === "AccessToken") await replaceAccessToken(program, key, payload);
      if (model === "Client") await evictUnusedClients(program);
    },

    /** Not `toStateKey`: an id that a client sent must never be taken for a digest. */
    async find(id) {
      const payload = await read(digestToken(id));
      if (!payload) return undefined;
      if (model === "Grant") {
        const owner = { ...program, owner_id: String(payload.accountId) };
        if (await findGrant(owner, id)) return { ...payload, jti: id };
        await endGrantFamily(owner, id);
        return undefined;
      }
      return { ...payload, jti: id };
    },

    async findByUserCode(user_code) {
      const found = await store.getState(owner_id, formatStateKind("UserCode"), digestToken(user_code));
      if (!found) return undefined;
      const { key } = found.value as { key: string };
      const payload = await read(key);
      return payload && { ...payload, jti: BY_DIGEST + key, userCode: user_code };
    },

    /** Never called: tokens are not bound to a browser session. */
    async findByUid() {
      return undefined;
    },

    /** The first caller wins; a second use means that the code or token was copied, and ends the whole grant family. */
    async consume(id) {
      const key = toStateKey(id);
      const state = await store.getState(owner_id, kind, key);
      if (!(await store.takeState(owner_id, unused, key))) {
        if (state?.bundle !== undefined) await endFamily(state.bundle, "token_reused");
        throw new errors.InvalidGrant("it was used before");
      }
      if (!state) return;
      const consumed = Math.floor(Date.now() / 1000);
      const value = keepTrace(state.value as Payload);
      await store.putState(owner_id, { ...state, value: { ...value, consumed } });
    },

    async destroy(id) {
      // Revoke everything under it while it still names its owner.
      if (model === "Grant") return endFamily(id);
      const key = toStateKey(id);
      const token = model === "AccessToken" ? bindDigest(key, (await read(key))?.jkt) : "";
      await store.deleteState(owner_id, kind, key);
      if (ONCE.includes(model)) await store.deleteState(owner_id, unused, key);
      const account_id = token && (await store.findToken(token))?.owner_id;
      if (account_id !== undefined) await store.revokeToken(account_id, token, new Date().toISOString());
    },

    /** Called for each model, beside `destroy` for the grant; acting once is enough. */
    async revokeByGrantId(grant_id) {
      if (model === "AccessToken") await endFamily(grant_id);
    },
  };
}

function toStateKey(id: string): string {
  return id.startsWith(BY_DIGEST) ? id.slice(BY_DIGEST.length) : digestToken(id);
}

function computeExpiry(model: string, expires_in: number | undefined): number | undefined {
  if (model === "Client") return Date.now() + UNUSED_CLIENT_MS;
  return expires_in === undefined ? undefined : Date.now() + expires_in * 1000;
}

/** Whether this is a device whose user code has not been entered yet. */
function isOpenDevice(payload: AdapterPayload): payload is AdapterPayload & { userCode: string } {
  return payload.userCode !== undefined && payload.accountId === undefined && payload.error === undefined;
}

function withoutSecrets({ jti: _, userCode: __, session, ...payload }: AdapterPayload): object {
  if (!session) return payload;
  const { cookie: ___, ...kept } = session;
  return { ...payload, session: kept };
}

/**
 * What remains of a used refresh token: enough for the library to detect its second use. Codes are needed until their
 * token is issued.
 */
function keepTrace(payload: Payload): object {
  if (payload.kind !== "RefreshToken") return payload;
  return Object.fromEntries(Object.entries(payload).filter(([name]) => TRACE.includes(name)));
}

/** When too many registrations were never approved, deletes those that expire first. */
async function evictUnusedClients({ store, owner_id }: OwnerContext): Promise<void> {
  const kind = formatStateKind("Client");
  const unused = (await store.listState(owner_id, kind)).filter((each) => each.expires_at_ms !== undefined);
  const oldest = unused.sort((a, b) => (a.expires_at_ms ?? 0) - (b.expires_at_ms ?? 0));
  for (const { id } of oldest.slice(0, -UNUSED_CLIENTS)) await store.deleteState(owner_id, kind, id);
}

/** Stores an access token where the resource server looks up every token, and ends the former ones of its family. */
async function replaceAccessToken(
  { store, owner_id: program }: OwnerContext,
  digest: string,
  payload: AdapterPayload,
): Promise<void> {
  const { accountId = "", clientId = "", grantId, iat = 0, exp = 0, aud } = payload;
  const at = new Date().toISOString();
  const family = grantId === undefined ? [] : await store.listBundle(program, grantId);
  for (const { kind, id, value } of family) {
    if (kind !== formatStateKind("AccessToken") || id === digest) continue;
    await store.revokeToken(accountId, bindDigest(id, (value as Payload).jkt), at);
    await store.deleteState(program, kind, id);
  }
  await store.putToken({
    digest: bindDigest(digest, payload.jkt as string | undefined),
    owner_id: accountId,
    kind: "client",
    client_id: clientId,
    grant_ids: grantId === undefined ? [] : [grantId],
    created_at: new Date(iat * 1000).toISOString(),
    expires_at: new Date(exp * 1000).toISOString(),
    audience: String(aud),
  });
}
