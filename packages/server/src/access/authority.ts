import {
  ApiError,
  type Grant,
  type GrantStream,
  grantKey,
  ownerScope,
  parseTimeMs,
  type ReadScope,
  scopeOf,
} from "@rungs/contract";
import type { Store, StoredToken } from "@rungs/store";
import type { Sources } from "./sources.ts";

/** What the holder of a token may do right now. */
export interface Authority {
  readonly kind: "owner" | "client";
  readonly owner_id: string;
  readonly client_id: string;
  readonly scope: ReadScope;
  /** Granted streams that cannot be read: their source limits time by another field than the grant does. */
  readonly outdated: readonly StreamName[];
  /** The grants that stand; an owner needs none. */
  readonly grants: readonly Grant[];
  /** Differs when anything that is allowed does; cursors are bound to it. */
  readonly grant_key: string;
  readonly sources: Sources;
}

/** A stream of a connection. */
export interface StreamName {
  readonly connection_id: string;
  readonly stream: string;
}

/** Reads the grants behind a token anew, so that revocation and expiry count from the next request on (R52). */
export async function authorize(
  token: StoredToken,
  store: Store,
  readSources: (owner_id: string) => Promise<Sources>,
  now_ms: number,
): Promise<Authority> {
  const { kind, owner_id, client_id } = token;
  if (kind === "owner") {
    const sources = await readSources(owner_id);
    const scope = ownerScope(owner_id, [...sources.values()]);
    return { kind, owner_id, client_id, scope, outdated: [], grants: [], grant_key: "owner", sources };
  }
  const [standing, sources] = await Promise.all([readGrants(token, store), readSources(owner_id)]);
  const whole = scopeOf(owner_id, standing, now_ms);
  const grants = standing.filter((grant) => isLive(grant, now_ms));
  const outdated = listOutdated(grants, sources);
  const scope = { ...whole, streams: whole.streams.filter((entry) => !isAmong(outdated, entry)) };
  return { kind, owner_id, client_id, scope, outdated, grants, grant_key: grantKey(grants), sources };
}

/** Whether a stream is in a list. */
function isAmong(streams: readonly StreamName[], { connection_id, stream }: StreamName): boolean {
  return streams.some((each) => each.connection_id === connection_id && each.stream === stream);
}

/** The streams that a grant names. */
export function streamsOf(grant: Grant): (StreamName & { readonly limits: GrantStream })[] {
  return grant.authorization_details
    .flatMap(({ streams }) => streams)
    .flatMap((limits) =>
      limits.instance_ids.map((connection_id) => ({ connection_id, stream: limits.name, limits })),
    );
}

async function readGrants({ owner_id, grant_ids }: StoredToken, store: Store): Promise<Grant[]> {
  const stored = await Promise.all(grant_ids.map((grant_id) => store.getGrant(owner_id, grant_id)));
  const found = stored.filter((grant) => grant !== undefined);
  if (found.length === 0 || found.length < grant_ids.length) throw new ApiError("grant_invalid");
  const standing = found.filter(({ revoked_at }) => revoked_at === undefined);
  if (standing.length === 0) throw new ApiError("grant_revoked");
  return standing.map(({ grant }) => grant);
}

function isLive({ expires_at }: Grant, now_ms: number): boolean {
  return expires_at === undefined || (parseTimeMs(expires_at) ?? 0) > now_ms;
}

/** The store limits time by the field that is declared now; a grant that means another one must not be read by it. */
function listOutdated(grants: readonly Grant[], sources: Sources): StreamName[] {
  return grants.flatMap(streamsOf).filter(({ connection_id, stream, limits }) => {
    const shape = sources.get(connection_id)?.shapes.get(stream);
    return limits.time_constraint !== undefined && shape?.consent_time_field !== limits.time_constraint.field;
  });
}
