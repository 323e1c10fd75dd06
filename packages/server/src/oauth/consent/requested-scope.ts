/** What a client requests, resolved against the owner's connections: the most that the owner can grant. */
import {
  DATA_ACCESS_TYPE,
  EVERY_STREAM,
  type Grant,
  type GrantStream,
  requireOnePurpose,
  resolveGrant,
  type SelectionRequest,
  type StreamRequest,
} from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import type { Source, Sources } from "../../access/authority.ts";
import { requireAuthorizationDetails } from "../provider/client-rules.ts";

/** The members that apply to a whole request. */
type Purpose = Pick<SelectionRequest, "purpose_code" | "purpose_description" | "access_mode" | "retention">;

/** The purpose of requests without details, and of grants that the owner creates by hand. */
const DEFAULT_PURPOSE = {
  purpose_code: "https://pdpp.dev/purpose/assistance",
  access_mode: "continuous",
} as const satisfies Purpose;

/** The prefix of error messages that says where in the request the error is: the owner never sees the request. */
const PLACE = /^authorization_details\[0\][. ](?:streams\[0\][. ])?/;

/** A validated and resolved request. */
export interface RequestedScope {
  /** False when the client sent no details: the request then covers everything. */
  readonly is_specific: boolean;
  readonly purpose: Purpose;
  /** The client's own claims about how it will use the data. */
  readonly commitments: readonly string[];
  readonly streams: readonly RequestedStream[];
  /** Requested but unavailable, each with the reason. Only the owner may see this. */
  readonly unavailable: readonly string[];
}

/** One stream of one connection, with the widest limits that the owner may grant. */
export interface RequestedStream {
  readonly source: Source;
  readonly limits: GrantStream;
  /** Whether the request identifies this connection; otherwise the owner has to pick one. */
  readonly is_named: boolean;
}

/** Resolves requested details against the owner's connections; undefined details request everything. */
export function resolveRequestedScope(
  requested: unknown,
  sources: Sources,
  subject_id: string,
): RequestedScope {
  const is_specific = requested !== undefined;
  const details = is_specific ? requireAuthorizationDetails(requested) : requestEverything(sources);
  const resolved = details
    .flatMap((detail) => narrowToStreams(detail, sources))
    .map((request) => resolveRequest(request, sources, subject_id));
  const found = resolved.flatMap((each) => (typeof each === "string" ? [] : each));
  // The first request for a stream wins: merging two could grant more than either asked for.
  const first = new Map(found.toReversed().map((limits) => [formatStreamKey(limits), limits]));
  const streams = found.filter((limits) => first.get(formatStreamKey(limits)) === limits);
  return {
    is_specific,
    purpose: details.length === 0 ? DEFAULT_PURPOSE : requireOnePurpose(details),
    commitments: details.flatMap(({ client_claims }) => client_claims?.commitments ?? []),
    streams: streams.flatMap((limits) => describeRequested(limits, is_specific ? details : [], sources)),
    unavailable: resolved.filter((each) => typeof each === "string"),
  };
}

function requestEverything(sources: Sources): SelectionRequest[] {
  return [...sources.values()].map(({ connection_id, manifest }) => ({
    type: DATA_ACCESS_TYPE,
    source: manifest.source,
    ...DEFAULT_PURPOSE,
    streams: [{ name: EVERY_STREAM, instance_ids: [connection_id] }],
  }));
}

/** Missing `instance_ids` never means all: every connection becomes grantable, and only a sole one counts as named. */
function narrowToStreams(detail: SelectionRequest, sources: Sources): SelectionRequest[] {
  const { selection_preset, ...rest } = detail;
  if (detail.streams && selection_preset !== undefined) return [detail];
  const eligible = [...sources.values()].filter(({ connector_key }) => connector_key === detail.source.id);
  const named = (detail.streams ?? []).flatMap(({ instance_ids }) => instance_ids ?? []);
  const ids = new Set([...eligible.map(({ connection_id }) => connection_id), ...named]);
  const narrowed = [...ids]
    .flatMap((connection_id) => listStreamRequests(detail, connection_id, sources.get(connection_id)))
    .map((stream) => ({ ...rest, streams: [stream] }));
  // Without a matching connection, keep the detail unchanged: resolving it yields the reason.
  return narrowed.length === 0 ? [detail] : narrowed;
}

function listStreamRequests(
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

/** The streams that one narrowed request resolves to, or the reason why it cannot be granted. */
function resolveRequest(request: SelectionRequest, sources: Sources, subject_id: string) {
  try {
    const { authorization_details } = resolveAlone(request, sources, subject_id);
    return authorization_details.flatMap(({ streams }) => streams);
  } catch (error) {
    if (error instanceof CodedError) {
      return `${formatRequestName(request)}: ${error.message.replace(PLACE, "")}`;
    }
    throw error;
  }
}

function formatRequestName({ source, streams = [], selection_preset = "" }: SelectionRequest): string {
  const [stream] = streams;
  return stream
    ? `${stream.instance_ids?.[0] ?? source.id}/${stream.name}`
    : `${source.id} ${selection_preset}`;
}

function formatStreamKey({ name, instance_ids }: GrantStream): string {
  return `${instance_ids[0]}/${name}`;
}

function describeRequested(
  limits: GrantStream,
  details: readonly SelectionRequest[],
  sources: Sources,
): RequestedStream[] {
  const source = sources.get(limits.instance_ids[0] ?? "");
  return source ? [{ source, limits, is_named: isNamed(details, limits.name, source, sources) }] : [];
}

function isNamed(
  details: readonly SelectionRequest[],
  stream: string,
  { connection_id, connector_key }: Source,
  sources: Sources,
): boolean {
  if (details.length === 0) return false;
  const eligible = [...sources.values()].filter((each) => each.connector_key === connector_key);
  if (eligible.length === 1) return true;
  return details
    .flatMap(({ streams = [] }) => streams)
    .some(
      ({ name, instance_ids }) =>
        (name === stream || name === EVERY_STREAM) && instance_ids?.includes(connection_id),
    );
}

function resolveAlone(request: SelectionRequest, sources: Sources, subject_id: string): Grant {
  const all = [...sources.values()];
  return resolveGrant({
    details: [request],
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
