import { type FieldPath, formatFieldPath } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";
import type { Manifest, ManifestStream } from "../manifest/manifest-schema.ts";
import { describeStream } from "../manifest/stream-shape.ts";
import type { Condition } from "./condition.ts";
import { DATA_ACCESS_TYPE, type GrantDetail, type GrantStream } from "./grant.ts";
import { EVERY_STREAM, type SelectionRequest, type StreamRequest } from "./grant-request.ts";
import { refuseAt } from "./refuse.ts";
import { resolveStream } from "./resolve-stream.ts";
import { listSelectable } from "./resolve-where.ts";

/** A connection that a grant may cover. */
export interface GrantableConnection extends ConnectionChoice {
  readonly source_id: string;
  readonly declaration_version: string;
}

interface Sources {
  readonly manifests: readonly Manifest[];
  readonly connections: readonly GrantableConnection[];
}

/** Connections of one source with the same version of its declaration. */
interface Group {
  readonly manifest: Manifest;
  readonly instance_ids: string[];
}

/** Resolves the requested scope for one source: one detail for each version of its declaration that the connections use. */
export function resolveDetail(detail: SelectionRequest, at: FieldPath, sources: Sources): GrantDetail[] {
  const eligible = sources.connections.filter(({ source_id }) => source_id === detail.source.id);
  if (eligible.length === 0) refuseAt("connection_not_found", [...at, "source", "id"], "has no connection");
  const found = new Map<Manifest, GrantStream[]>();
  for (const { request, place } of listRequests(detail, at, eligible, sources)) {
    for (const { manifest, instance_ids } of chooseConnections(request, place, eligible, sources)) {
      requireKind(detail, manifest, at);
      const streams = selectStreams(request, manifest, place).map((stream) => ({
        name: stream.name,
        instance_ids,
        ...resolveStream(omitForeign(request, stream), stream, place),
      }));
      found.set(manifest, [...(found.get(manifest) ?? []), ...streams]);
    }
  }
  return [...found].map(([manifest, streams]) => ({
    type: DATA_ACCESS_TYPE,
    source: manifest.source,
    source_declaration: { version: manifest.declaration_version },
    ...(detail.selection_preset === undefined ? {} : { selection_preset: detail.selection_preset }),
    streams,
  }));
}

interface PlacedRequest {
  readonly request: StreamRequest;
  readonly place: FieldPath;
}

function listRequests(
  detail: SelectionRequest,
  at: FieldPath,
  eligible: readonly GrantableConnection[],
  sources: Sources,
): PlacedRequest[] {
  const { streams, selection_preset } = detail;
  if ((streams === undefined) === (selection_preset === undefined)) {
    return refuseAt("invalid_request", at, "needs either streams or selection_preset");
  }
  const place = [...at, streams ? "streams" : "selection_preset"];
  const requests = streams ?? requirePreset(selection_preset, place, eligible, sources);
  if (requests.length > 1 && requests.some(({ name }) => name === EVERY_STREAM)) {
    refuseAt("invalid_request", place, `names ${EVERY_STREAM} beside other streams`);
  }
  return requests.map((request, index) => ({ request, place: streams ? [...place, index] : place }));
}

function requirePreset(
  id: string | undefined,
  place: FieldPath,
  eligible: readonly GrantableConnection[],
  sources: Sources,
): readonly StreamRequest[] {
  const [group] = groupByVersion([requireOnlyOne(eligible, place)], sources);
  const preset = group?.manifest.selection_presets?.find((each) => each.id === id);
  return preset ? preset.streams : refuseAt("invalid_request", place, "is not a preset of the source");
}

/** Omitting `instance_ids` never means all connections: with more than one, the caller has to choose. */
function chooseConnections(
  { instance_ids }: StreamRequest,
  place: FieldPath,
  eligible: readonly GrantableConnection[],
  sources: Sources,
): Group[] {
  if (instance_ids === undefined) return groupByVersion([requireOnlyOne(eligible, place)], sources);
  const chosen = [...new Set(instance_ids)].map((id, index) => {
    const connection = eligible.find(({ connection_id }) => connection_id === id);
    const path = [...place, "instance_ids", index];
    return connection ?? refuseAt("connection_not_found", path, "is not a connection of the source");
  });
  return groupByVersion(chosen, sources);
}

function requireOnlyOne(eligible: readonly GrantableConnection[], place: FieldPath): GrantableConnection {
  const [only, ...others] = eligible;
  if (!only || others.length > 0) {
    throw ambiguousConnection(eligible, formatFieldPath([...place, "instance_ids"]));
  }
  return only;
}

function groupByVersion(connections: readonly GrantableConnection[], { manifests }: Sources): Group[] {
  const groups = new Map<Manifest, string[]>();
  for (const { connection_id, source_id, declaration_version } of connections) {
    const manifest = manifests.find(
      (each) => each.source.id === source_id && each.declaration_version === declaration_version,
    );
    if (!manifest) {
      throw new Error(`No declaration was given for version ${declaration_version} of ${source_id}.`);
    }
    groups.set(manifest, [...(groups.get(manifest) ?? []), connection_id]);
  }
  return [...groups].map(([manifest, instance_ids]) => ({ manifest, instance_ids }));
}

function requireKind({ source }: SelectionRequest, manifest: Manifest, at: FieldPath): void {
  if (source.kind === undefined || source.kind === manifest.source.kind) return;
  refuseAt("invalid_request", [...at, "source", "kind"], "is not the kind of the source");
}

function selectStreams(
  request: StreamRequest,
  manifest: Manifest,
  place: FieldPath,
): readonly ManifestStream[] {
  if (request.name !== EVERY_STREAM) {
    const stream = manifest.streams.find(({ name }) => name === request.name);
    return stream
      ? [stream]
      : refuseAt("unknown_stream", [...place, "name"], "is not a stream of the source");
  }
  for (const member of ["view", "fields", "resources"] as const) {
    if (request[member] !== undefined) {
      refuseAt("invalid_request", [...place, member], `cannot apply to ${EVERY_STREAM}: name the streams`);
    }
  }
  return request.where ? selectComparable(request.where, manifest, place) : manifest.streams;
}

/**
 * The streams that have the fields of all conditions, plus the streams of their child records, which their parents
 * narrow.
 */
function selectComparable(
  where: readonly Condition[],
  { streams }: Manifest,
  place: FieldPath,
): readonly ManifestStream[] {
  const chosen = new Set(streams.filter((stream) => hasFields(stream, where)).map(({ name }) => name));
  if (chosen.size === 0)
    refuseAt(
      "invalid_request",
      [...place, "where"],
      "names fields that no stream can be narrowed by together",
    );
  for (let before = 0; before < chosen.size; ) {
    before = chosen.size;
    for (const stream of streams)
      if (describeStream(stream).parents.some((parent) => chosen.has(parent.stream))) chosen.add(stream.name);
  }
  return streams.filter(({ name }) => chosen.has(name));
}

function hasFields(stream: ManifestStream, where: readonly Condition[]): boolean {
  const selectable = listSelectable(stream);
  return where.every(({ field }) => selectable.some(({ name }) => name === field));
}

/** In a request for every stream, each condition applies to the streams that have its field. */
function omitForeign(request: StreamRequest, stream: ManifestStream): StreamRequest {
  const { where, ...rest } = request;
  return request.name === EVERY_STREAM && where && !hasFields(stream, where) ? rest : request;
}

/** A connection to choose from. */
export interface ConnectionChoice {
  readonly connection_id: string;
  readonly display_name?: string | undefined;
}

/** The error for a request that several connections could answer (R04). */
export function ambiguousConnection(choices: readonly ConnectionChoice[], param = "connection_id"): ApiError {
  const available_connections = choices.map(({ connection_id, display_name }) => ({
    connection_id,
    ...(display_name === undefined ? {} : { display_name }),
  }));
  const ids = choices.map(({ connection_id }) => connection_id).join(", ");
  return new ApiError("ambiguous_connection", {
    param,
    message: `Several connections could answer this: ${ids}.`,
    available_connections,
    retry_with: param,
  });
}
