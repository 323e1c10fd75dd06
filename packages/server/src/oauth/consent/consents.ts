import { ApiError, type Grant, parseTimeMs } from "@rungs/contract";
import type { Provider } from "oidc-provider";
import { digestToken } from "../../access/bearer.ts";
import { readSources } from "../../access/sources.ts";
import { noteEvent } from "../../owner/audit-events.ts";
import type { OwnerParts } from "../../owner/owner-context.ts";
import { ENDLESS, kindOf, SCOPE } from "../provider/models.ts";
import { findDeviceUid, findQuestion, type Question } from "./authorization-request.ts";
import type { Consents, ConsentView } from "./consents-port.ts";
import { type Shown, showQuestion } from "./preview.ts";
import { readSelection } from "./requested-scope.ts";

/** Lets the owner see and answer what clients ask. */
export function createConsents(parts: OwnerParts, provider: Provider): Consents {
  const { store, owner_id } = parts;

  async function show(question: Question, choice?: Parameters<Consents["approve"]>[1]): Promise<Shown> {
    const sources = await readSources(store, owner_id);
    const selection = readSelection(question.authorization_details, sources, owner_id);
    return showQuestion(parts, question, selection, sources, choice);
  }

  return {
    async view(uid, choice) {
      const question = await findQuestion(parts, provider, uid);
      return question && (await show(question, choice)).view;
    },

    async approve(uid, choice, shown) {
      const question = await findQuestion(parts, provider, uid);
      if (!question) throw over();
      const { view, grant } = await show(question, choice);
      const reason = findObstacle(view, grant, shown);
      if (reason !== undefined || !grant) return { kind: "shown_again", view, reason: reason ?? "" };
      if (!(await question.take())) throw over();
      await keepGrant(parts, provider, grant, question.resources);
      await keepClient(parts, grant.client.client_id);
      const { grant_id, client } = grant;
      await noteEvent(parts, "consent_given", { client_id: client.client_id, grant_id });
      return {
        kind: "granted",
        redirect_url: await question.grant(grant_id, grant.authorization_details),
      };
    },

    async deny(uid) {
      const question = await findQuestion(parts, provider, uid);
      if (!question || !(await question.take())) return undefined;
      await noteEvent(parts, "consent_refused", { client_id: question.client.client_id });
      return question.deny();
    },

    findDevice: (user_code) => findDeviceUid(provider, user_code),
  };
}

/** Why a yes does not count; undefined when it does. */
function findObstacle(
  { digest, asks_training }: ConsentView,
  grant: Grant | undefined,
  shown: Parameters<Consents["approve"]>[2],
): string | undefined {
  if (!grant) return "Nothing is chosen: choose at least one stream.";
  if (digest !== shown.digest) return "This has changed since it was shown: look at it again.";
  if (asks_training && !shown.training_allowed) {
    return "The client asks to train with the data: that takes a yes of its own.";
  }
  return undefined;
}

function over(): ApiError {
  const message = "This question was answered before, or is over.";
  return new ApiError("not_found", { message, next: "Start again from the program that asked." });
}

/** The library's grant has the id of the owner's: what happens to one is found from the other. */
async function keepGrant(
  { store, owner_id, now }: OwnerParts,
  provider: Provider,
  grant: Grant,
  resources: readonly string[],
): Promise<void> {
  await store.putGrant(owner_id, grant);
  const own = new provider.Grant({ clientId: grant.client.client_id, accountId: owner_id });
  const expires_at_ms = parseTimeMs(grant.expires_at);
  const expiresIn = expires_at_ms === undefined ? ENDLESS : Math.ceil((expires_at_ms - now()) / 1000);
  Object.assign(own, { jti: grant.grant_id, expiresIn, rar: grant.authorization_details });
  for (const resource of resources) own.addResourceScope(resource, SCOPE);
  await own.save();
}

/** A registered client that an owner has agreed to once is not forgotten. */
async function keepClient({ store, owner_id }: OwnerParts, client_id: string): Promise<void> {
  const state = await store.getState(owner_id, kindOf("Client"), digestToken(client_id));
  if (state) await store.putState(owner_id, { ...state, expires_at_ms: undefined });
}
