/** What a client asks for, resolved against what is here: everything that an owner can be asked to agree to. */

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
import type { Source, Sources } from "../../access/sources.ts";
import { requireAuthorizationDetails } from "../provider/client-rules.ts";

/** The parts of a request that are about the whole of it. */
type Purpose = Pick<SelectionRequest, "purpose_code" | "purpose_description" | "access_mode" | "retention">;

/** The purpose of a client that names none, and of a grant that its owner makes by hand. */
const DEFAULT_PURPOSE = {
  purpose_code: "https://pdpp.dev/purpose/assistance",
  access_mode: "continuous",
} as const satisfies Purpose;

/** Where in a narrowed request a refusal is: the owner has not seen the request, and it has one stream. */
const PLACE = /^authorization_details\[0\][. ](?:streams\[0\][. ])?/;

/** A request that has been understood. */
export interface RequestedScope {
  /** False when the client named nothing: then it is about everything there is. */
  readonly is_specific: boolean;
  readonly purpose: Purpose;
  /** What the client promises, in its own words. */
  readonly commitments: readonly string[];
  readonly streams: readonly RequestedStream[];
  /** What was asked for and cannot be given, each with the reason: for the owner's eyes alone. */
  readonly unavailable: readonly string[];
}

/** One stream of one connection, with the most that may be given of it. */
export interface RequestedStream {
  readonly source: Source;
  readonly limits: GrantStream;
  /** Whether the request means this connection and no other: else the owner chooses. */
  readonly is_named: boolean;
}

/** Holds a request against what is here; without any details, everything is asked. */
export function resolveRequestedScope(asked: unknown, sources: Sources, subject_id: string): RequestedScope {
  const is_specific = asked !== undefined;
  const details = is_specific ? requireAuthorizationDetails(asked) : requestEverything(sources);
  const resolved = details
    .flatMap((detail) => narrowToStreams(detail, sources))
    .map((request) => resolveRequest(request, sources, subject_id));
  const found = resolved.flatMap((each) => (typeof each === "string" ? [] : each));
  // Of two requests for the same stream the first counts: together they might come to more than either.
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

/** A left-out `instance_ids` never means all of them: every connection is offered, and one is named only if it is alone. */
function narrowToStreams(detail: SelectionRequest, sources: Sources): SelectionRequest[] {
  const { selection_preset, ...rest } = detail;
  if (detail.streams && selection_preset !== undefined) return [detail];
  const eligible = [...sources.values()].filter(({ connector_key }) => connector_key === detail.source.id);
  const named = (detail.streams ?? []).flatMap(({ instance_ids }) => instance_ids ?? []);
  const ids = new Set([...eligible.map(({ connection_id }) => connection_id), ...named]);
  const narrowed = [...ids]
    .flatMap((connection_id) => listStreamRequests(detail, connection_id, sources.get(connection_id)))
    .map((stream) => ({ ...rest, streams: [stream] }));
  // What nothing here can answer is left as it is, to be refused with its reason.
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

/** What one narrowed request comes to; in words, why it cannot be given. */
function resolveRequest(request: SelectionRequest, sources: Sources, subject_id: string) {
  try {
    const { authorization_details } = resolveAlone(request, sources, subject_id);
    return authorization_details.flatMap(({ streams }) => streams);
  } catch (error) {
    if (error instanceof CodedError)
      return `${formatRequestName(request)}: ${error.message.replace(PLACE, "")}`;
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
