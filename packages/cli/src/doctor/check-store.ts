import { ApiError } from "@rungs/contract";
import type { OwnerParts } from "@rungs/server";
import type { StoredGrant } from "@rungs/store";
import { HERE } from "../home/local-server.ts";
import { findTokenKind } from "../http/mcp-endpoint.ts";
import { type Finding, fine, wrong } from "./finding.ts";

/** Looks for what must never be: text without chunks, an index out of order, blobs without bytes. */
export async function checkStore({ store, owner_id }: OwnerParts): Promise<Finding[]> {
  const problems = await store.check(owner_id);
  if (problems.length === 0) return [fine("records", "records, index and blobs fit together")];
  const next = "Stop the server, put the last backup in its place, and import again what came later";
  return problems.map((problem) => wrong("records", problem, next));
}

/** Looks up the grants and, where one is given, the token. */
export async function checkAuthority(parts: OwnerParts, token: string | undefined): Promise<Finding[]> {
  const grants = await parts.store.listGrants(parts.owner_id);
  const standing = grants.filter((grant) => stands(grant, parts.now()));
  const counted = fine("grants", `${standing.length} of ${grants.length} grants stand`);
  return token === undefined ? [counted] : [counted, await checkToken(parts, token)];
}

function stands({ grant, revoked_at }: StoredGrant, now_ms: number): boolean {
  return revoked_at === undefined && !(Date.parse(grant.expires_at ?? "") <= now_ms);
}

async function checkToken({ store, now }: OwnerParts, token: string): Promise<Finding> {
  const next = "Run rungs grant create and use the token that it prints";
  try {
    const kind = await findTokenKind(`Bearer ${token}`, store, now(), HERE);
    if (kind === "client") return fine("token", "the token is known and stands");
    return wrong("token", "the token is the owner's, which agents never get", next);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return wrong("token", "the token is unknown or no longer valid", next);
  }
}
