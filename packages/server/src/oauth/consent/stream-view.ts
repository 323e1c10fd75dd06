/** What a grant would open, as an agent would see it: read only through the scope of the grant itself. */
import {
  type Exclusion,
  formatToolCall,
  type Grant,
  grantKey,
  ownerScope,
  presentRecord,
  renderCondition,
  renderRecord,
  resolveScope,
  type StreamMasks,
} from "@rungs/contract";
import type { Store, StreamFacts } from "@rungs/store";
import { type Authority, hideExcluded, listGrantedStreams, type Sources } from "../../access/authority.ts";
import { recordEvent } from "../../owner/audit-events.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import { describeRecord } from "../../records/outgoing-record.ts";
import { requireStream } from "../../records/target.ts";
import { createView } from "../../records/value-view.ts";
import type { ChosenStream, ConsentStreamView } from "./consents-port.ts";

const SAMPLES = 3;
const SAMPLE_BYTES = 1500;
/** Agents get an unguessable fence; a random one here would change the digest of an unchanged view. */
const FENCE = "sample";

/**
 * Describes each chosen stream as `grant` would open it, with sample records; the audit log records each view of them
 * (R55).
 */
export async function viewStreams(
  owner: OwnerContext,
  chosen: readonly ChosenStream[],
  grant: Grant,
  sources: Sources,
): Promise<ConsentStreamView[]> {
  const { store, now } = owner;
  const exclusions = await store.listExclusions(grant.subject.id);
  const authority = createPreviewAuthority(grant, exclusions, sources, now());
  const facts = await store.describeStreams(authority.scope);
  const all = await store.describeStreams(ownerScope(grant.subject.id, [...sources.values()]));
  const masks = new Map(
    listGrantedStreams(grant).map(({ connection_id, stream, limits }) => [
      `${connection_id}/${stream}`,
      limits.masks,
    ]),
  );
  return Promise.all(
    chosen.map(async (each) => {
      const { connection_id, stream } = each;
      const masked = masks.get(`${connection_id}/${stream}`);
      const samples = await readSamples(each, authority, store, masked);
      if (samples.length > 0)
        await recordEvent(owner, "records_previewed", { connection_id, stream, records: samples.length });
      return {
        ...each,
        ...describe(each, authority, facts),
        left_out_count: countRecords(each, all) - countRecords(each, facts),
        masked_fields: masked?.fields ?? [],
        samples,
      };
    }),
  );
}

function countRecords({ connection_id, stream }: ChosenStream, facts: readonly StreamFacts[]): number {
  const found = facts.find((each) => each.connection_id === connection_id && each.stream === stream);
  return found?.record_count ?? 0;
}

/** Without masks: their copies exist only once a grant needs them, so samples are masked one by one. */
function createPreviewAuthority(
  grant: Grant,
  exclusions: readonly Exclusion[],
  sources: Sources,
  now_ms: number,
): Authority {
  const { id: owner_id } = grant.subject;
  const resolved = resolveScope(owner_id, [grant], now_ms);
  const streams = resolved.streams.map(({ masks: _, ...entry }) => entry);
  return {
    kind: "client",
    owner_id,
    client_id: grant.client.client_id,
    scope: hideExcluded({ ...resolved, streams }, exclusions, sources),
    outdated: [],
    grants: [grant],
    grant_key: grantKey([grant]),
    sources,
  };
}

function describe(
  { connection_id, stream }: ChosenStream,
  { sources, scope }: Authority,
  facts: StreamFacts[],
) {
  const isIt = (each: { connection_id: string; stream: string }) =>
    each.connection_id === connection_id && each.stream === stream;
  const { record_count = 0, time_range } = facts.find(isIt) ?? {};
  const source = sources.get(connection_id);
  return {
    display_name: source?.display_name ?? connection_id,
    label: findStreamLabel(source, stream),
    fields: scope.streams.find(isIt)?.fields ?? [],
    conditions: (scope.streams.find(isIt)?.where ?? []).map(renderCondition),
    record_count,
    ...(time_range
      ? {
          first_at: new Date(time_range.first_ms).toISOString(),
          last_at: new Date(time_range.last_ms).toISOString(),
        }
      : {}),
  };
}

/** The label that the source declares for a stream; its name when there is none. */
export function findStreamLabel(source: ReturnType<Sources["get"]>, stream: string): string {
  return source?.manifest.streams.find(({ name }) => name === stream)?.display?.label ?? stream;
}

async function readSamples(
  { connection_id, stream }: ChosenStream,
  authority: Authority,
  store: Store,
  masks: StreamMasks | undefined,
): Promise<string[]> {
  const target = requireStream(authority, { connection_id, stream });
  const view = createView({ view: "preview" }, target.scope, store);
  const request = {
    connection_id,
    stream,
    order: "desc" as const,
    limit: SAMPLES,
    limits: view.limits,
  };
  const { records: found } = await store.listRecords(target.scope, request);
  const records = masks ? await store.maskRecords(authority.owner_id, masks, found) : found;
  return records.map((stored) => {
    const record = describeRecord(stored, target, view);
    const labels = [record.connector_key, record.display_name, stream];
    const options = { write: formatToolCall, fence: FENCE, budget_bytes: SAMPLE_BYTES };
    return renderRecord(presentRecord(record, SAMPLE_BYTES).view, labels, options);
  });
}
