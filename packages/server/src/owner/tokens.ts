import { ApiError, type Grant } from "@rungs/contract";
import { createToken, digestToken } from "../access/tokens.ts";
import { formatWriter } from "../access/writer.ts";
import { OWNER_CLIENT, recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

/** The longest lifetime of the one token of a `single_use` grant. */
const SINGLE_USE_MS = 24 * 60 * 60 * 1000;

/** The default lifetime of owner tokens and credentials: a forgotten one should not stay valid forever. */
export const OWNER_TOKEN_MS = 90 * 24 * 60 * 60 * 1000;

/** Creates an owner token; it is shown once, and only its digest is stored. */
export async function createOwnerToken(
  owner: OwnerContext,
  expires_at_ms = owner.now() + OWNER_TOKEN_MS,
): Promise<string> {
  const { store, owner_id, now } = owner;
  const token = createToken();
  await recordEvent(owner, "token_created");
  await store.putToken({
    digest: digestToken(token),
    owner_id,
    kind: "owner",
    client_id: OWNER_CLIENT,
    grant_ids: [],
    created_at: new Date(now()).toISOString(),
    expires_at: new Date(expires_at_ms).toISOString(),
  });
  return token;
}

/** Creates a token that may add records and files to one connection, and read no record. */
export async function createWriteToken(
  owner: OwnerContext,
  connection_id: string,
  expires_at_ms = owner.now() + OWNER_TOKEN_MS,
): Promise<string> {
  const { store, owner_id, now } = owner;
  const connections = await store.listConnections(owner_id);
  if (!connections.some((each) => each.connection_id === connection_id))
    throw new ApiError("connection_not_found", { param: "connection_id" });
  const token = createToken();
  const client_id = formatWriter(connection_id);
  await recordEvent(owner, "token_created", { client_id });
  await store.putToken({
    digest: digestToken(token),
    owner_id,
    kind: "writer",
    client_id,
    grant_ids: [],
    created_at: new Date(now()).toISOString(),
    expires_at: new Date(expires_at_ms).toISOString(),
  });
  return token;
}

/** Issues the token of a new grant; it never outlives the grant. */
export async function issueClientToken(
  { store, owner_id, now }: OwnerContext,
  grant: Grant,
): Promise<string> {
  const token = createToken();
  const expires_at = computeExpiry(grant, now());
  await store.putToken({
    digest: digestToken(token),
    owner_id,
    kind: "client",
    client_id: grant.client.client_id,
    grant_ids: [grant.grant_id],
    created_at: new Date(now()).toISOString(),
    ...(expires_at === undefined ? {} : { expires_at }),
  });
  return token;
}

function computeExpiry({ access_mode, expires_at }: Grant, now_ms: number): string | undefined {
  if (access_mode !== "single_use") return expires_at;
  const latest = new Date(now_ms + SINGLE_USE_MS).toISOString();
  return expires_at !== undefined && expires_at < latest ? expires_at : latest;
}
