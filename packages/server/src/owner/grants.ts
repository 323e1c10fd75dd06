import { randomBytes } from "node:crypto";
import { ApiError, type Grant, resolveGrant, type SelectionRequest } from "@rungs/contract";
import type { StoredGrant } from "@rungs/store";
import { readSources } from "../access/sources.ts";
import { noteEvent } from "./audit-events.ts";
import type { OwnerParts } from "./owner-context.ts";
import { issueClientToken } from "./tokens.ts";

/** What an owner allows a client. */
export interface GrantOrder {
  readonly client: Grant["client"];
  readonly details: readonly SelectionRequest[];
  readonly expires_at_ms?: number | undefined;
}

/** A grant, and the one time that its token is shown. */
export interface CreatedGrant {
  readonly grant: Grant;
  readonly token: string;
}

/** Makes a grant and its token. A `single_use` grant is used up by that token: it never gets another. */
export async function createGrant(parts: OwnerParts, order: GrantOrder): Promise<CreatedGrant> {
  const grant = await draftGrant(parts, order);
  await parts.store.putGrant(parts.owner_id, grant);
  await noteEvent(parts, "grant_created", subjectOf(grant));
  return { grant, token: await issueClientToken(parts, grant) };
}

/** The grant that an order would make, which is not kept. */
export async function draftGrant({ store, owner_id, now }: OwnerParts, order: GrantOrder): Promise<Grant> {
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

/** A grant with its end, if it has been revoked. */
export async function requireGrant({ store, owner_id }: OwnerParts, grant_id: string): Promise<StoredGrant> {
  const found = await store.getGrant(owner_id, grant_id);
  if (found) return found;
  const next = "List the grants with rungs grant list.";
  throw new ApiError("not_found", { message: "There is no such grant.", next });
}

/** Ends a grant from the next request on; false when it had ended before (R52). */
export async function revokeGrant(parts: OwnerParts, grant_id: string): Promise<boolean> {
  const { grant } = await requireGrant(parts, grant_id);
  const at = new Date(parts.now()).toISOString();
  const isFirst = await parts.store.revokeGrant(parts.owner_id, grant_id, at);
  if (isFirst) await noteEvent(parts, "grant_revoked", subjectOf(grant));
  return isFirst;
}

/** Every grant there ever was: one that has ended stays as a tombstone. */
export function listGrants({ store, owner_id }: OwnerParts): Promise<StoredGrant[]> {
  return store.listGrants(owner_id);
}

function subjectOf({ grant_id, client: { client_id } }: Grant) {
  return { client_id, grant_id };
}
