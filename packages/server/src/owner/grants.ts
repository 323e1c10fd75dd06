import { randomBytes } from "node:crypto";
import {
  ApiError,
  type Grant,
  type GrantBudget,
  type MaskChoice,
  resolveGrant,
  type SelectionRequest,
} from "@rungs/contract";
import type { StoredGrant } from "@rungs/store";
import { readSources } from "../access/authority.ts";
import { OWNER_CLIENT, recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";
import { CONSOLE_CLIENT } from "./sessions.ts";
import { issueClientToken } from "./tokens.ts";

/** The grant that an owner wants to create. */
export interface GrantRequest {
  readonly client: Grant["client"];
  readonly details: readonly SelectionRequest[];
  readonly expires_at_ms?: number | undefined;
  readonly masks?: MaskChoice | undefined;
  readonly budget?: GrantBudget | undefined;
}

/** A grant with its token, which is shown only this once. */
export interface CreatedGrant {
  readonly grant: Grant;
  readonly token: string;
}

/** Creates a grant and its token. A `single_use` grant never gets another token. */
export async function createGrant(owner: OwnerContext, order: GrantRequest): Promise<CreatedGrant> {
  const grant = await draftGrant(owner, order);
  await owner.store.putGrant(owner.owner_id, grant);
  await recordEvent(owner, "grant_created", describeSubject(grant));
  return { grant, token: await issueClientToken(owner, grant) };
}

/** Resolves the grant that a request would create, without storing it. */
export async function draftGrant(
  { store, owner_id, now }: OwnerContext,
  order: GrantRequest,
): Promise<Grant> {
  // The audit log tells the owner's reads from those of agents by these ids.
  if ([OWNER_CLIENT, CONSOLE_CLIENT].includes(order.client.client_id))
    throw new ApiError("invalid_request", {
      param: "client",
      message: `The audit log calls you “${order.client.client_id}”, so no client may have that name.`,
      next: "Choose another name for the client.",
    });
  const sources = await readSources(store, owner_id);
  return resolveGrant({
    ...order,
    manifests: [...new Set([...sources.values()].map(({ manifest }) => manifest))],
    connections: await store.listConnections(owner_id),
    grant_id: `grant_${randomBytes(9).toString("base64url")}`,
    subject_id: owner_id,
    now_ms: now(),
  });
}

/** A grant, with the time of its revocation if there was one. */
export async function requireGrant(
  { store, owner_id }: OwnerContext,
  grant_id: string,
): Promise<StoredGrant> {
  const found = await store.getGrant(owner_id, grant_id);
  if (found) return found;
  const next = "List the grants with rungs grant list.";
  throw new ApiError("not_found", { message: "There is no such grant.", next });
}

/** Revokes a grant, effective with the next request; false when it was revoked before (R52). */
export async function revokeGrant(owner: OwnerContext, grant_id: string): Promise<boolean> {
  const { grant } = await requireGrant(owner, grant_id);
  const at = new Date(owner.now()).toISOString();
  const isFirst = await owner.store.revokeGrant(owner.owner_id, grant_id, at);
  if (isFirst) await recordEvent(owner, "grant_revoked", describeSubject(grant));
  return isFirst;
}

/** Lists every grant, including those that ended, which stay as tombstones. */
export function listGrants({ store, owner_id }: OwnerContext): Promise<StoredGrant[]> {
  return store.listGrants(owner_id);
}

function describeSubject({ grant_id, client: { client_id } }: Grant) {
  return { client_id, grant_id };
}
