/** Token introspection (RFC 7662) for separate resource servers that the owner gave a credential. */
import { ApiError, type Grant } from "@rungs/contract";
import type { StoredToken } from "@rungs/store";
import type { Context } from "hono";
import { bindDigest, digestToken, isLive } from "../access/tokens.ts";
import type { ServerEnv } from "../middleware/pipeline.ts";
import { findIntrospecting } from "../owner/introspectors.ts";
import { asProgram, type OwnerContext } from "../owner/owner-context.ts";
import { formatStateKind } from "./provider/models.ts";

const BODY_MAX_BYTES = 4096;

/** Answers only `{active: false}` for every token that grants no access. */
export async function answerIntrospection(
  context: Context<ServerEnv>,
  server: OwnerContext & { readonly base_url: string },
): Promise<Response> {
  context.get("trace").operation = "introspect";
  const owner_id = await findCredentialOwner(context.req.header("Authorization"), server);
  if (owner_id === undefined) {
    context.header("WWW-Authenticate", 'Basic realm="rungs"');
    return context.json({ error: "invalid_client" }, 401);
  }
  // Tokens of other owners are not valid for this resource server.
  const owner = { ...server, owner_id };
  const form = await readForm(context.req.raw);
  const token = form.get("token");
  if (token === null) return context.json({ error: "invalid_request" }, 400);
  const thumbprint = await findThumbprint(token, owner);
  const found = await owner.store.findToken(bindDigest(digestToken(token), thumbprint));
  return context.json(found ? await describeToken(found, thumbprint, owner) : { active: false });
}

async function findCredentialOwner(
  header: string | undefined,
  server: OwnerContext,
): Promise<string | undefined> {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? "")?.[1] ?? "";
  const [client_id = "", client_secret = ""] = Buffer.from(encoded, "base64").toString().split(":");
  return findIntrospecting(server, { client_id: decode(client_id), client_secret: decode(client_secret) });
}

/** RFC 6749 §2.3.1: client id and secret are form-encoded. */
function decode(text: string): string {
  return new URLSearchParams(`x=${text}`).get("x") ?? "";
}

async function readForm(request: Request): Promise<URLSearchParams> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BODY_MAX_BYTES) throw new ApiError("request_too_large", { max_bytes: BODY_MAX_BYTES });
  }
  return new URLSearchParams(text);
}

/** The key that an access token is bound to (RFC 9449 §6.2). */
async function findThumbprint(token: string, owner: OwnerContext): Promise<string | undefined> {
  const kind = formatStateKind("AccessToken");
  const state = await owner.store.getState(asProgram(owner).owner_id, kind, digestToken(token));
  return (state?.value as { jkt?: string } | undefined)?.jkt;
}

async function describeToken(
  token: StoredToken,
  thumbprint: string | undefined,
  owner: OwnerContext & { readonly base_url: string },
) {
  const { store, owner_id, now, base_url } = owner;
  if (token.owner_id !== owner_id || !isLive(token, now())) return { active: false };
  // It writes to this server alone.
  if (token.kind === "writer") return { active: false };
  const stored = await Promise.all(token.grant_ids.map((id) => store.getGrant(owner_id, id)));
  const grants = stored.flatMap((each) => (each && each.revoked_at === undefined ? [each.grant] : []));
  if (token.kind === "client" && grants.length === 0) return { active: false };
  return {
    active: true,
    iss: base_url,
    sub: owner_id,
    subject_id: owner_id,
    client_id: token.client_id,
    token_type: thumbprint === undefined ? "Bearer" : "DPoP",
    ...(thumbprint === undefined ? {} : { cnf: { jkt: thumbprint } }),
    pdpp_token_kind: token.kind,
    iat: toSeconds(token.created_at),
    ...(token.expires_at === undefined ? {} : { exp: toSeconds(token.expires_at) }),
    ...(token.audience === undefined ? {} : { aud: token.audience }),
    ...describeGrants(grants),
  };
}

/**
 * What the resource server must enforce. A budget belongs to one grant: of several grants, those with a budget are left
 * out.
 */
function describeGrants(grants: readonly Grant[]) {
  const [only] = grants;
  if (!only) return {};
  if (grants.length > 1) {
    const unlimited = grants.filter(({ budget }) => budget === undefined);
    return { authorization_details: unlimited.flatMap((grant) => grant.authorization_details) };
  }
  const { grant_id, authorization_details, budget } = only;
  return { grant_id, authorization_details, ...(budget === undefined ? {} : { pdpp_budget: budget }) };
}

function toSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}
