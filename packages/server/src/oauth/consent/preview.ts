import type { Grant } from "@rungs/contract";
import type { Sources } from "../../access/authority.ts";
import { draftGrant } from "../../owner/grants.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { computeDigest, decideAsRequested, narrowDecision, writeGrantOrder } from "./consent-decision.ts";
import type { ConsentDecision, ConsentView } from "./consents-port.ts";
import { listGrantable } from "./grantable-streams.ts";
import type { RequestedScope } from "./requested-scope.ts";
import { viewStreams } from "./stream-view.ts";

/** Matches the words instead of one exact URI: another spelling must not bypass the separate consent to training. */
const AI_TRAINING = /\bai[\W_]*training/i;

/** A request as the owner sees it, and the grant that approval would create; undefined while no stream is chosen. */
export interface ConsentPreview {
  readonly view: ConsentView;
  readonly grant: Grant | undefined;
}

/** The input of `previewConsent`. */
interface PreviewInput {
  readonly request: AuthorizationRequest;
  readonly requested: RequestedScope;
  readonly sources: Sources;
  /** The owner's decision so far; undefined means as the client requested. */
  readonly decision: ConsentDecision | undefined;
}

/** Previews a request with the owner's decision, or as the client requested it. */
export async function previewConsent(
  owner: OwnerContext,
  { request, requested, sources, decision: wanted }: PreviewInput,
): Promise<ConsentPreview> {
  const decision = wanted ? narrowDecision(wanted, requested) : decideAsRequested(requested);
  const grant = await draftDecidedGrant(owner, request, requested, decision);
  const streams = grant ? await viewStreams(owner, decision.streams, grant, sources) : [];
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

/** Not `decodeURIComponent`, which throws on escapes that are not UTF-8. */
function decodeEscapes(uri: string): string {
  return uri.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

async function draftDecidedGrant(
  owner: OwnerContext,
  { client }: AuthorizationRequest,
  requested: RequestedScope,
  decision: ConsentDecision,
): Promise<Grant | undefined> {
  const named = { client_id: client.client_id, name: client.name };
  const order = writeGrantOrder(named, decision, requested, owner.now());
  return order.details.length === 0 ? undefined : draftGrant(owner, order);
}
