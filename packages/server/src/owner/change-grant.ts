/** Changes what a grant allows. Its tokens stay valid; their next request already reads under the changed grant. */
import {
  ApiError,
  DATA_ACCESS_TYPE,
  type Grant,
  listClientDetails,
  parseTimeMs,
  type SelectionRequest,
} from "@rungs/contract";
import { listGrantedStreams, readSources } from "../access/authority.ts";
import { digestToken } from "../access/tokens.ts";
import { computeDigest, narrowDecision, writeGrantOrder } from "../oauth/consent/consent-decision.ts";
import type {
  ChosenStream,
  ConsentDecision,
  ConsentStreamView,
  GrantableStreams,
} from "../oauth/consent/consents-port.ts";
import { listGrantable } from "../oauth/consent/grantable-streams.ts";
import { type RequestedScope, resolveRequestedScope } from "../oauth/consent/requested-scope.ts";
import { viewStreams } from "../oauth/consent/stream-view.ts";
import { formatStateKind } from "../oauth/provider/models.ts";
import { recordEvent } from "./audit-events.ts";
import { listWidenings } from "./grant-widening.ts";
import { draftGrant, requireGrant } from "./grants.ts";
import type { OwnerContext } from "./owner-context.ts";
import { applyPreset, type GrantPreset } from "./presets.ts";
import { isGrantActive } from "./status.ts";

const REQUEST_KIND = "owner.GrantRequest";

/** A grant that can be changed: what it allows, and the most that it can be widened to. */
export interface ChangeableGrant {
  readonly grant: Grant;
  readonly offered: readonly GrantableStreams[];
  readonly decision: ConsentDecision;
}

/** What a change would make of a grant. */
export interface GrantChange {
  readonly before: Grant;
  /** Undefined while no stream is chosen. */
  readonly after: Grant | undefined;
  readonly streams: readonly ConsentStreamView[];
  /** What it would newly allow, in words. */
  readonly widenings: readonly string[];
  /** Binds the change to what was shown. */
  readonly digest: string;
}

/** Keeps what a client asked for: a later change of its grant never goes beyond it. */
export async function keepRequest(
  { store, owner_id }: OwnerContext,
  grant_id: string,
  details: unknown,
): Promise<void> {
  const value = { details: details ?? null };
  await store.putState(owner_id, { kind: REQUEST_KIND, id: grant_id, bundle: grant_id, value });
}

/** Opens a grant for a change; refuses one that has ended. */
export async function openGrantChange(owner: OwnerContext, grant_id: string): Promise<ChangeableGrant> {
  const grant = await requireActive(owner, grant_id);
  const requested = await readRequested(owner, grant);
  const decision = withoutRequested(describeGrantChoice(grant, owner.now()), requested);
  return { grant, offered: listGrantable(requested), decision };
}

/** Previews a change. The end of a grant can only come nearer, since its tokens end with it. */
export async function previewGrantChange(
  owner: OwnerContext,
  grant_id: string,
  wanted: ConsentDecision,
): Promise<GrantChange> {
  const before = await requireActive(owner, grant_id);
  const requested = await readRequested(owner, before);
  const decision = narrowDecision(keepRecords(wanted, before, owner.now()), requested);
  const order = writeGrantOrder(before.client, decision, requested, owner.now());
  if (order.details.length === 0) return { before, after: undefined, streams: [], widenings: [], digest: "" };
  const drafted = await draftGrant(owner, order);
  const { authorization_details, budget } = drafted;
  const { budget: _, expires_at: __, ...rest } = before;
  const expires_at = chooseEnd(before, decision, drafted, owner.now());
  const after: Grant = {
    ...rest,
    ...(expires_at === undefined ? {} : { expires_at }),
    authorization_details,
    ...(budget ? { budget } : {}),
  };
  const sources = await readSources(owner.store, owner.owner_id);
  const streams = await viewStreams(owner, decision.streams, after, sources);
  return {
    before,
    after,
    streams,
    widenings: listWidenings(before, after),
    digest: computeDigest({ before, streams, expires_in_days: decision.expires_in_days }, after),
  };
}

/** Makes the change; refuses when the grant was changed or ended meanwhile. */
export async function changeGrant(owner: OwnerContext, { before, after }: GrantChange): Promise<Grant> {
  const { store, owner_id } = owner;
  if (!after || !(await store.replaceGrant(owner_id, before, after)))
    throw new ApiError("grant_conflict", {
      message: "The grant was changed or ended meanwhile: look at it again.",
    });
  await tellProvider(owner, after);
  const { grant_id, client } = after;
  await recordEvent(owner, "grant_changed", { client_id: client.client_id, grant_id });
  return after;
}

async function requireActive(owner: OwnerContext, grant_id: string): Promise<Grant> {
  const stored = await requireGrant(owner, grant_id);
  if (isGrantActive(stored, owner.now())) return stored.grant;
  throw new ApiError("grant_revoked", { message: "The grant has ended.", next: "Make a new grant." });
}

/** The most that a grant can be widened to: what its client asked for, or everything for a grant that the owner made. */
async function readRequested({ store, owner_id }: OwnerContext, grant: Grant): Promise<RequestedScope> {
  const sources = await readSources(store, owner_id);
  const kept = await store.getState(owner_id, REQUEST_KIND, grant.grant_id);
  if (kept) {
    const { details } = kept.value as { details: unknown };
    return resolveRequestedScope(details ?? undefined, sources, owner_id);
  }
  // A client asked before requests were kept: its grant can only be narrowed.
  const isAsked = await store.getState(owner_id, formatStateKind("Grant"), digestToken(grant.grant_id));
  return resolveRequestedScope(isAsked ? writeAsRequest(grant) : undefined, sources, owner_id);
}

function writeAsRequest({ authorization_details, purpose_code, access_mode }: Grant): SelectionRequest[] {
  return authorization_details.map(({ source, streams }) => ({
    type: DATA_ACCESS_TYPE,
    source,
    purpose_code,
    access_mode,
    streams: streams.map(({ name, instance_ids, fields, time_constraint, resources, where }) => ({
      name,
      instance_ids,
      fields,
      ...(time_constraint
        ? { time_range: { since: time_constraint.since, until: time_constraint.until } }
        : {}),
      ...(resources ? { resources } : {}),
      ...(where ? { where } : {}),
    })),
  }));
}

/** The conditions that the client asked for are not the owner's: they apply anyway. */
function withoutRequested(decision: ConsentDecision, { streams }: RequestedScope): ConsentDecision {
  return {
    ...decision,
    streams: decision.streams.map((chosen) => {
      const requested = streams.find(
        ({ source, limits }) =>
          source.connection_id === chosen.connection_id && limits.name === chosen.stream,
      );
      const asked = (requested?.limits.where ?? []).map((each) => JSON.stringify(each));
      const where = (chosen.where ?? []).filter((each) => !asked.includes(JSON.stringify(each)));
      return { ...chosen, where: where.length === 0 ? undefined : where };
    }),
  };
}

/** A limit to single records stays: the form has no control for it. */
function keepRecords(decision: ConsentDecision, before: Grant, now_ms: number): ConsentDecision {
  const old = describeGrantChoice(before, now_ms).streams;
  return {
    ...decision,
    streams: decision.streams.map((chosen): ChosenStream => {
      const was = old.find(
        (each) => each.connection_id === chosen.connection_id && each.stream === chosen.stream,
      );
      return was?.resources ? { ...chosen, resources: was.resources } : chosen;
    }),
  };
}

function chooseEnd(
  before: Grant,
  decision: ConsentDecision,
  drafted: Grant,
  now_ms: number,
): string | undefined {
  const isSame = describeGrantChoice(before, now_ms).expires_in_days === decision.expires_in_days;
  const [old, wanted] = [parseTimeMs(before.expires_at), parseTimeMs(drafted.expires_at)];
  if (isSame || wanted === undefined || (old !== undefined && old <= wanted)) return before.expires_at;
  return drafted.expires_at;
}

/** The authorization server says in later tokens what the grant allows now. */
async function tellProvider({ store, owner_id }: OwnerContext, grant: Grant): Promise<void> {
  const state = await store.getState(owner_id, formatStateKind("Grant"), digestToken(grant.grant_id));
  if (!state) return;
  const value = { ...(state.value as object), rar: listClientDetails(grant) };
  await store.putState(owner_id, { ...state, value });
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Describes the choice that led to a grant. All streams of a grant that masks mask the same values. */
export function describeGrantChoice(grant: Grant, now_ms: number): ConsentDecision {
  const streams = listGrantedStreams(grant);
  const masks = streams.find(({ limits }) => limits.masks)?.limits.masks;
  const { fields: _, ...rules } = masks ?? { fields: [] };
  const expires_at_ms = parseTimeMs(grant.expires_at);
  const days = expires_at_ms === undefined ? undefined : Math.ceil((expires_at_ms - now_ms) / DAY_MS);
  return {
    streams: streams.map(({ connection_id, stream, limits }): ChosenStream => {
      const { fields, time_constraint, where, resources } = limits;
      const plain = masks ? fields.filter((name) => !limits.masks?.fields.includes(name)) : [];
      return {
        connection_id,
        stream,
        fields,
        plain_fields: plain.filter((name) => name !== time_constraint?.field),
        ...(time_constraint?.since === undefined ? {} : { since: time_constraint.since }),
        ...(time_constraint?.until === undefined ? {} : { until: time_constraint.until }),
        ...(where ? { where } : {}),
        ...(resources ? { resources } : {}),
      };
    }),
    ...(days === undefined ? {} : { expires_in_days: Math.max(1, days) }),
    ...(masks ? { masks: rules } : {}),
    ...(grant.budget ? { budget: grant.budget } : {}),
  };
}

/** The grant that a preset would make now, without creating it. */
export function draftPreset(owner: OwnerContext, preset: GrantPreset): Promise<Grant> {
  return draftGrant(owner, applyPreset(owner, preset, { client_id: "preset" }));
}
