import { createHash } from "node:crypto";
import type { Grant } from "@rungs/contract";
import type { Sources } from "../../access/sources.ts";
import { draftGrant } from "../../owner/grants.ts";
import type { OwnerParts } from "../../owner/owner-context.ts";
import type { Question } from "./authorization-request.ts";
import { chooseAsAsked, expiryOf, narrowChoice, writeDetails } from "./consent-decision.ts";
import type { ConsentChoice, ConsentView } from "./consents-port.ts";
import { listOffered } from "./grantable-streams.ts";
import type { Selection } from "./requested-scope.ts";
import { showStreams } from "./stream-view.ts";

/** By its words and not as the one address: another way to write it must not do without the owner's own yes. */
const AI_TRAINING = /\bai[\W_]*training/i;

/** A question as it is shown, and the grant that a yes to it would make; none while nothing is chosen. */
export interface Shown {
  readonly view: ConsentView;
  readonly grant: Grant | undefined;
}

/** Shows a question with a choice, or as the client asked it. */
export async function showQuestion(
  parts: OwnerParts,
  question: Question,
  selection: Selection,
  sources: Sources,
  wanted: ConsentChoice | undefined,
): Promise<Shown> {
  const choice = wanted ? narrowChoice(wanted, selection) : chooseAsAsked(selection);
  const grant = await draft(parts, question, selection, choice);
  const streams = grant ? await showStreams(choice.streams, grant, sources, parts.store, parts.now()) : [];
  const { purpose, is_specific, commitments, unavailable } = selection;
  const shown = {
    uid: question.uid,
    client: question.client,
    ...(question.user_code === undefined ? {} : { user_code: question.user_code }),
    ...purpose,
    commitments,
    asks_training: AI_TRAINING.test(decodeEscapes(purpose.purpose_code)),
    is_specific,
    offered: listOffered(selection),
    unavailable,
    choice,
    streams,
  };
  return { view: { ...shown, digest: digestOf(shown, grant) }, grant };
}

/** Not `decodeURIComponent`, which refuses what is not UTF-8. */
function decodeEscapes(uri: string): string {
  return uri.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

async function draft(
  parts: OwnerParts,
  { client }: Question,
  selection: Selection,
  choice: ConsentChoice,
): Promise<Grant | undefined> {
  const details = writeDetails(choice, selection);
  if (details.length === 0) return undefined;
  return draftGrant(parts, {
    client: { client_id: client.client_id, name: client.name },
    details,
    expires_at_ms: expiryOf(choice, parts.now()),
  });
}

/** Over everything that was shown and everything that would be granted, the versions of declarations included. */
function digestOf(shown: object, grant: Grant | undefined): string {
  const granted = grant?.authorization_details ?? [];
  return createHash("sha256")
    .update(JSON.stringify([shown, granted]))
    .digest("base64url");
}
