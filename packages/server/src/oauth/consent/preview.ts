import { createHash } from "node:crypto";
import type { Grant } from "@rungs/contract";
import type { Sources } from "../../access/sources.ts";
import { draftGrant } from "../../owner/grants.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import {
  computeExpiry,
  decideAsRequested,
  narrowDecision,
  writeAuthorizationDetails,
} from "./consent-decision.ts";
import type { ConsentDecision, ConsentView } from "./consents-port.ts";
import { listGrantable } from "./grantable-streams.ts";
import type { RequestedScope } from "./requested-scope.ts";
import { viewStreams } from "./stream-view.ts";

/** By its words and not as the one address: another way to write it must not do without the owner's own yes. */
const AI_TRAINING = /\bai[\W_]*training/i;

/** A question as it is shown, and the grant that a yes to it would make; none while nothing is chosen. */
export interface ConsentPreview {
  readonly view: ConsentView;
  readonly grant: Grant | undefined;
}

/** Shows a question with a choice, or as the client asked it. */
export async function previewConsent(
  owner: OwnerContext,
  request: AuthorizationRequest,
  requested: RequestedScope,
  sources: Sources,
  wanted: ConsentDecision | undefined,
): Promise<ConsentPreview> {
  const decision = wanted ? narrowDecision(wanted, requested) : decideAsRequested(requested);
  const grant = await draftDecidedGrant(owner, request, requested, decision);
  const streams = grant ? await viewStreams(decision.streams, grant, sources, owner.store, owner.now()) : [];
  const { purpose, is_specific, commitments, unavailable } = requested;
  const shown = {
    uid: request.uid,
    client: request.client,
    ...(request.user_code === undefined ? {} : { user_code: request.user_code }),
    ...purpose,
    commitments,
    asks_training: AI_TRAINING.test(decodeEscapes(purpose.purpose_code)),
    is_specific,
    grantable: listGrantable(requested),
    unavailable,
    decision,
    streams,
  };
  return { view: { ...shown, digest: computeDigest(shown, grant) }, grant };
}

/** Not `decodeURIComponent`, which refuses what is not UTF-8. */
function decodeEscapes(uri: string): string {
  return uri.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

async function draftDecidedGrant(
  owner: OwnerContext,
  { client }: AuthorizationRequest,
  requested: RequestedScope,
  decision: ConsentDecision,
): Promise<Grant | undefined> {
  const details = writeAuthorizationDetails(decision, requested);
  if (details.length === 0) return undefined;
  return draftGrant(owner, {
    client: { client_id: client.client_id, name: client.name },
    details,
    expires_at_ms: computeExpiry(decision, owner.now()),
  });
}

/** Over everything that was shown and everything that would be granted, the versions of declarations included. */
function computeDigest(shown: object, grant: Grant | undefined): string {
  const granted = grant?.authorization_details ?? [];
  return createHash("sha256")
    .update(JSON.stringify([shown, granted]))
    .digest("base64url");
}
