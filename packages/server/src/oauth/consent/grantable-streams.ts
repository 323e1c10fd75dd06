import { type Grant, renderCondition, type SelectionRequest, type StreamShape } from "@rungs/contract";
import { readSources } from "../../access/authority.ts";
import { draftGrant, type GrantRequest } from "../../owner/grants.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import {
  computeDigest,
  findTimeField,
  isPrivateField,
  isRequiredField,
  narrowDecision,
  writeAuthorizationDetails,
  writeGrantOrder,
} from "./consent-decision.ts";
import type {
  ChosenStream,
  ConsentDecision,
  ConsentStreamView,
  GrantableStream,
  GrantableStreams,
  SelectableField,
} from "./consents-port.ts";
import { type RequestedScope, type RequestedStream, resolveRequestedScope } from "./requested-scope.ts";
import { findStreamLabel, viewStreams } from "./stream-view.ts";

/** What a selection would open, and the order for its grant. */
export interface ChoicePreview {
  readonly order: GrantRequest;
  readonly streams: readonly ConsentStreamView[];
  /** Binds a grant to what was shown. */
  readonly digest: string;
  /** When the order was written: its expiry counts from there. */
  readonly at_ms: number;
}

/** Lists what the owner can grant of a request, by connection. */
export function listGrantable({ streams }: RequestedScope): GrantableStreams[] {
  const byConnection = Map.groupBy(streams, ({ source }) => source);
  return [...byConnection].map(([{ connection_id, display_name }, group]) => ({
    connection_id,
    display_name,
    streams: group.map(describeGrantable),
  }));
}

function describeGrantable({ source, limits }: RequestedStream): GrantableStream {
  return {
    stream: limits.name,
    label: findStreamLabel(source, limits.name),
    has_time: findTimeField(source, limits) !== undefined,
    fields: limits.fields.map((name) => ({
      name,
      is_required: isRequiredField(source, limits, name),
      is_private: isPrivateField(source, limits, name),
    })),
    selectable: listSelectable(source.shapes.get(limits.name)),
    requested_conditions: (limits.where ?? []).map(renderCondition),
  };
}

/** Texts and flags, which people pick from a list. Not keys: a grant can name single records itself. */
function listSelectable(shape: StreamShape | undefined): SelectableField[] {
  const { fields = [], primary_key = [] } = shape ?? {};
  return fields
    .filter(({ name, role }) => !primary_key.includes(name) && role !== "parent")
    .filter(({ filterable, format }) => filterable && format === undefined)
    .filter(({ types, listed = [] }) =>
      [...types, ...listed].some((type) => type === "string" || type === "boolean"),
    )
    .map(({ name, role }) => ({ name, role }));
}

/** Lists everything the owner can grant by hand: a manual grant is the decision on a request for everything. */
export async function listAllGrantable(owner: OwnerContext): Promise<GrantableStreams[]> {
  return listGrantable(await requestAll(owner));
}

/** Writes the owner's chosen streams as the details of a grant; drops streams that do not exist. */
export async function writeGrantRequest(
  owner: OwnerContext,
  chosen: readonly ChosenStream[],
): Promise<SelectionRequest[]> {
  const requested = await requestAll(owner);
  return writeAuthorizationDetails(narrowDecision({ streams: chosen }, requested), requested);
}

/** What a grant by hand would open, as an agent would see it, and the grant; undefined while no stream is chosen. */
export async function previewChoice(
  owner: OwnerContext,
  client: Grant["client"],
  wanted: ConsentDecision,
): Promise<ChoicePreview | undefined> {
  const at_ms = owner.now();
  const requested = await requestAll(owner);
  const decision = narrowDecision(wanted, requested);
  const order = writeGrantOrder(client, decision, requested, at_ms);
  if (order.details.length === 0) return undefined;
  const grant = await draftGrant(owner, order);
  const sources = await readSources(owner.store, owner.owner_id);
  const streams = await viewStreams(owner, decision.streams, grant, sources);
  return { order, streams, at_ms, digest: computeDigest({ decision, streams }, grant) };
}

async function requestAll({ store, owner_id }: OwnerContext): Promise<RequestedScope> {
  return resolveRequestedScope(undefined, await readSources(store, owner_id), owner_id);
}
