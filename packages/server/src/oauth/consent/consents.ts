import { ApiError, type Grant, listClientDetails, parseTimeMs } from "@rungs/contract";
import type { Provider } from "oidc-provider";
import { readSources } from "../../access/authority.ts";
import { digestToken } from "../../access/tokens.ts";
import { recordEvent } from "../../owner/audit-events.ts";
import { keepRequest } from "../../owner/change-grant.ts";
import { asProgram, type OwnerContext } from "../../owner/owner-context.ts";
import { ENDLESS_SECONDS, formatStateKind, READ_SCOPE } from "../provider/models.ts";
import {
  type AuthorizationRequest,
  findAuthorizationRequest,
  findDeviceUid,
} from "./authorization-request.ts";
import type { ConsentDecision, Consents, ConsentView } from "./consents-port.ts";
import { type ConsentPreview, previewConsent } from "./preview.ts";
import { resolveRequestedScope } from "./requested-scope.ts";

/** Implements the consent port on the OAuth provider and the store. */
export function createConsents(owner: OwnerContext, provider: Provider): Consents {
  const { store, owner_id } = owner;

  async function preview(request: AuthorizationRequest, decision?: ConsentDecision): Promise<ConsentPreview> {
    const sources = await readSources(store, owner_id);
    const requested = resolveRequestedScope(request.authorization_details, sources, owner_id);
    return previewConsent(owner, { request, requested, sources, decision });
  }

  return {
    async view(uid, decision) {
      const request = await findAuthorizationRequest(owner, provider, uid);
      return request && (await preview(request, decision)).view;
    },

    async approve(uid, decision, shown) {
      const request = await findAuthorizationRequest(owner, provider, uid);
      if (!request) throw createClosedError();
      const { view, grant } = await preview(request, decision);
      const reason = findObstacle(view, grant, shown);
      if (reason !== undefined || !grant) return { kind: "shown_again", view, reason: reason ?? "" };
      if (!(await request.take())) throw createClosedError();
      await keepGrant(owner, provider, grant, request.resources);
      await keepRequest(owner, grant.grant_id, request.authorization_details);
      await keepClient(owner, grant.client.client_id);
      const { grant_id, client } = grant;
      await recordEvent(owner, "consent_given", { client_id: client.client_id, grant_id });
      return {
        kind: "granted",
        redirect_url: await request.grant(grant_id, listClientDetails(grant)),
      };
    },

    async deny(uid) {
      const request = await findAuthorizationRequest(owner, provider, uid);
      if (!request || !(await request.take())) return undefined;
      await recordEvent(owner, "consent_refused", { client_id: request.client.client_id });
      return request.deny();
    },

    findDevice: (user_code) => findDeviceUid(provider, user_code),
  };
}

/** Says why an approval is not accepted; undefined when it is. */
function findObstacle(
  { digest, asks_training }: ConsentView,
  grant: Grant | undefined,
  shown: Parameters<Consents["approve"]>[2],
): string | undefined {
  if (!grant) return "Nothing is chosen: choose at least one stream.";
  if (digest !== shown.digest) return "This has changed since it was shown: look at it again.";
  if (asks_training && !shown.training_allowed) {
    return "The client asks to train with the data: allow that separately.";
  }
  return undefined;
}

function createClosedError(): ApiError {
  const message = "This request was answered before, or has expired.";
  return new ApiError("not_found", { message, next: "Start again from the program that asked." });
}

/** Stores the owner's grant and the library's under the same id, so that either leads to the other. */
async function keepGrant(
  { store, owner_id, now }: OwnerContext,
  provider: Provider,
  grant: Grant,
  resources: readonly string[],
): Promise<void> {
  await store.putGrant(owner_id, grant);
  const own = new provider.Grant({ clientId: grant.client.client_id, accountId: owner_id });
  const expires_at_ms = parseTimeMs(grant.expires_at);
  const expiresIn = expires_at_ms === undefined ? ENDLESS_SECONDS : Math.ceil((expires_at_ms - now()) / 1000);
  Object.assign(own, { jti: grant.grant_id, expiresIn, rar: listClientDetails(grant) });
  for (const resource of resources) own.addResourceScope(resource, READ_SCOPE);
  await own.save();
}

/** Removes the expiry of a registered client once the owner has agreed to it. */
async function keepClient(owner: OwnerContext, client_id: string): Promise<void> {
  const { store, owner_id: program } = asProgram(owner);
  const state = await store.getState(program, formatStateKind("Client"), digestToken(client_id));
  if (state) await store.putState(program, { ...state, expires_at_ms: undefined });
}
