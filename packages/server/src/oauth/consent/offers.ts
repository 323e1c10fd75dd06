/** A grant that the owner makes by hand is a question of nobody's that asks for everything, and the owner's choice of it. */
import type { SelectionRequest } from "@rungs/contract";
import { readSources } from "../../access/sources.ts";
import type { OwnerParts } from "../../owner/owner-context.ts";
import { narrowChoice, writeDetails } from "./consent-decision.ts";
import type { ChosenStream, OfferedConnection } from "./consents-port.ts";
import { listOffered } from "./grantable-streams.ts";
import { readSelection, type Selection } from "./requested-scope.ts";

/** Everything that can be granted. */
export async function listOffers(parts: OwnerParts): Promise<OfferedConnection[]> {
  return listOffered(await selectEverything(parts));
}

/** What the owner has chosen, as the request that a grant is made of; what is not here is left out. */
export async function selectChosen(
  parts: OwnerParts,
  chosen: readonly ChosenStream[],
): Promise<SelectionRequest[]> {
  const selection = await selectEverything(parts);
  return writeDetails(narrowChoice({ streams: chosen }, selection), selection);
}

async function selectEverything({ store, owner_id }: OwnerParts): Promise<Selection> {
  return readSelection(undefined, await readSources(store, owner_id), owner_id);
}
