import type { FieldPath } from "@rungs/evidence";
import { type Manifest, PROTOCOL_VERSION } from "../manifest/manifest-schema.ts";
import { applyMasks, type MaskChoice } from "./apply-masks.ts";
import type { Grant, GrantBudget } from "./grant.ts";
import type { SelectionRequest } from "./grant-request.ts";
import { resolveScope } from "./grant-scope.ts";
import { refuseAt } from "./refuse.ts";
import { type GrantableConnection, resolveDetail } from "./resolve-detail.ts";

/** The input of `resolveGrant`. */
export interface GrantInput {
  readonly details: readonly SelectionRequest[];
  /** The declaration of each connection, at the version that the connection is on. */
  readonly manifests: readonly Manifest[];
  readonly connections: readonly GrantableConnection[];
  readonly grant_id: string;
  readonly subject_id: string;
  readonly client: Grant["client"];
  readonly now_ms: number;
  readonly expires_at_ms?: number | undefined;
  /** What the owner masks of it (R82). */
  readonly masks?: MaskChoice | undefined;
  /** How much the owner lets the client read (R83). */
  readonly budget?: GrantBudget | undefined;
}

/**
 * Resolves a request into the grant that it would become, with nothing left open: the owner sees what the client
 * gets, and a later declaration never widens it. Throws with the location of anything it cannot resolve, and
 * `grant_conflict` for two entries that cover the same stream of the same connection.
 */
export function resolveGrant(input: GrantInput): Grant {
  const { details, grant_id, subject_id, client, now_ms, expires_at_ms } = input;
  const purpose = requireOnePurpose(details);
  if (expires_at_ms !== undefined && expires_at_ms <= now_ms) {
    refuseAt("invalid_request", ["expires_at"], "has passed");
  }
  const resolved = details.flatMap((detail, at) => resolveDetail(detail, placeOf(at), input));
  const grant: Grant = {
    version: PROTOCOL_VERSION,
    grant_id,
    issued_at: new Date(now_ms).toISOString(),
    subject: { id: subject_id },
    client,
    ...purpose,
    ...(expires_at_ms === undefined ? {} : { expires_at: new Date(expires_at_ms).toISOString() }),
    authorization_details: input.masks ? applyMasks(resolved, input.masks, input.manifests) : resolved,
    ...(input.budget ? { budget: input.budget } : {}),
  };
  // Entries that overlap would make a grant that no token can use.
  resolveScope(subject_id, [grant], now_ms);
  return grant;
}

type Purpose = Pick<Grant, "access_mode" | "purpose_code" | "purpose_description" | "retention">;

/** Requires one purpose for all details: consent to one use never covers another. */
export function requireOnePurpose(details: readonly SelectionRequest[]): Purpose {
  const [first, ...others] = details.map(pickPurpose);
  if (!first) return refuseAt("invalid_request", ["authorization_details"], "is empty");
  for (const [at, other] of others.entries()) {
    if (JSON.stringify(other) === JSON.stringify(first)) continue;
    refuseAt(
      "invalid_request",
      placeOf(at + 1),
      "differs from the first detail in purpose, access mode or retention",
    );
  }
  return first;
}

function pickPurpose({
  access_mode,
  purpose_code,
  purpose_description,
  retention,
}: SelectionRequest): Purpose {
  return {
    access_mode,
    purpose_code,
    ...(purpose_description === undefined ? {} : { purpose_description }),
    ...(retention === undefined ? {} : { retention }),
  };
}

function placeOf(detail: number): FieldPath {
  return ["authorization_details", detail];
}
