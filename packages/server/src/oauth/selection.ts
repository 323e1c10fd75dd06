/** What a client asks for, resolved against what is here: everything that an owner can be asked to agree to. */
import {
  DATA_ACCESS_TYPE,
  EVERY_STREAM,
  type Grant,
  type GrantStream,
  requireSelectionRequests,
  resolveGrant,
  type SelectionRequest,
  type StreamRequest,
} from "@rungs/contract";
import type { Source, Sources } from "../access/sources.ts";

/** The purpose of a client that names none. */
const DEFAULT_PURPOSE = "https://pdpp.dev/purpose/assistance";

/** The parts of a request that are about the whole of it. */
export type Purpose = Pick<
  SelectionRequest,
  "purpose_code" | "purpose_description" | "access_mode" | "retention"
>;

/** A request that has been understood. */
export interface Selection {
  /** False when the client named nothing: then it is about everything there is. */
  readonly is_specific: boolean;
  readonly purpose: Purpose;
  /** What the client promises, in its own words. */
  readonly commitments: readonly string[];
  readonly streams: readonly AskedStream[];
}

/** One stream of one connection, with the most that may be given of it. */
export interface AskedStream {
  readonly source: Source;
  readonly limits: GrantStream;
  /** Whether the request means this connection and no other: else the owner chooses. */
  readonly is_named: boolean;
}

/** Reads `authorization_details`; without any, everything is asked. Refuses what cannot be resolved, naming the place. */
export function requireSelection(asked: unknown, sources: Sources, subject_id: string): Selection {
  const is_specific = asked !== undefined;
  const details = is_specific ? requireSelectionRequests(asked) : askForEverything(sources);
  const [first] = details;
  return {
    is_specific,
    purpose: purposeOf(first),
    commitments: details.flatMap(({ client_claims }) => client_claims?.commitments ?? []),
    streams: first === undefined ? [] : listStreams(details, sources, subject_id, is_specific),
  };
}

function askForEverything(sources: Sources): SelectionRequest[] {
  return [...sources.values()].map(({ connection_id, manifest }) => ({
    type: DATA_ACCESS_TYPE,
    source: manifest.source,
    purpose_code: DEFAULT_PURPOSE,
    access_mode: "continuous" as const,
    streams: [{ name: EVERY_STREAM, instance_ids: [connection_id] }],
  }));
}

function purposeOf(detail: SelectionRequest | undefined): Purpose {
  if (!detail) return { purpose_code: DEFAULT_PURPOSE, access_mode: "continuous" };
  const { purpose_code, purpose_description, access_mode, retention } = detail;
  return { purpose_code, purpose_description, access_mode, retention };
}

function listStreams(
  details: readonly SelectionRequest[],
  sources: Sources,
  subject_id: string,
  is_specific: boolean,
): AskedStream[] {
  const narrowed = details.flatMap((detail) => narrowToConnections(detail, sources));
  const grant = resolveAll(narrowed, sources, subject_id);
  return grant.authorization_details.flatMap(({ streams }) =>
    streams.flatMap((limits) => {
      const [connection_id = ""] = limits.instance_ids;
      const source = sources.get(connection_id);
      const is_named = is_specific && isNamed(details, limits.name, connection_id, sources);
      return source ? [{ source, limits, is_named }] : [];
    }),
  );
}

/** A left-out `instance_ids` never means all of them: every connection is offered, and one is named only if it is alone. */
function narrowToConnections(detail: SelectionRequest, sources: Sources): SelectionRequest[] {
  const { selection_preset, ...rest } = detail;
  if (detail.streams && selection_preset !== undefined) return [detail];
  const eligible = [...sources.values()].filter(({ connector_key }) => connector_key === detail.source.id);
  const named = (detail.streams ?? []).flatMap(({ instance_ids }) => instance_ids ?? []);
  const ids = new Set([...eligible.map(({ connection_id }) => connection_id), ...named]);
  const narrowed = [...ids]
    .map((connection_id) => requestsFor(detail, connection_id, sources.get(connection_id)))
    .filter((streams) => streams.length > 0)
    .map((streams) => ({ ...rest, streams }));
  // What nothing here can answer is left as it is, to be refused with its reason.
  return narrowed.length === 0 ? [detail] : narrowed;
}

function requestsFor(
  { streams, selection_preset }: SelectionRequest,
  connection_id: string,
  source: Source | undefined,
): StreamRequest[] {
  const preset = source?.manifest.selection_presets?.find(({ id }) => id === selection_preset)?.streams;
  const requests: readonly StreamRequest[] = streams ?? preset ?? [];
  return requests
    .filter(({ instance_ids }) => instance_ids?.includes(connection_id) ?? true)
    .map((request) => ({ ...request, instance_ids: [connection_id] }));
}

function isNamed(
  details: readonly SelectionRequest[],
  stream: string,
  connection_id: string,
  sources: Sources,
): boolean {
  const source_id = sources.get(connection_id)?.connector_key;
  const eligible = [...sources.values()].filter(({ connector_key }) => connector_key === source_id);
  if (eligible.length === 1) return true;
  return details
    .flatMap(({ streams = [] }) => streams)
    .some(
      ({ name, instance_ids }) =>
        (name === stream || name === EVERY_STREAM) && instance_ids?.includes(connection_id),
    );
}

function resolveAll(details: readonly SelectionRequest[], sources: Sources, subject_id: string): Grant {
  const all = [...sources.values()];
  return resolveGrant({
    details,
    manifests: [...new Set(all.map(({ manifest }) => manifest))],
    connections: all.map(({ connection_id, connector_key, display_name, manifest }) => ({
      connection_id,
      display_name,
      source_id: connector_key,
      declaration_version: manifest.declaration_version,
    })),
    grant_id: "asked",
    subject_id,
    client: { client_id: "asked" },
    now_ms: Date.now(),
  });
}
