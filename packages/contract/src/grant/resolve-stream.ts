import type { FieldPath } from "@rungs/evidence";
import type { ManifestStream } from "../manifest/manifest-schema.ts";
import { getProperties, getRequiredFields } from "../manifest/stream-shape.ts";
import { isFinerThanMs, parseTimeMs } from "../record/time.ts";
import type { GrantStream } from "./grant.ts";
import type { StreamRequest } from "./grant-request.ts";
import { refuseAt } from "./refuse.ts";
import { resolveWhere } from "./resolve-where.ts";

type Limits = Omit<GrantStream, "name" | "instance_ids">;

/** Resolves a request's selection of a stream: fields by name, times in milliseconds, records by key, conditions. */
export function resolveStream(request: StreamRequest, stream: ManifestStream, at: FieldPath): Limits {
  const time_constraint = resolveTime(request, stream, at);
  const resources = resolveResources(request, stream, at);
  const where = resolveWhere(request.where, stream, at);
  return {
    fields: resolveFields(request, stream, at),
    ...(time_constraint ? { time_constraint } : {}),
    ...(resources ? { resources } : {}),
    ...(where ? { where } : {}),
  };
}

/** Fields that the schema requires are always included: a record without them would be invalid. */
function resolveFields({ view, fields }: StreamRequest, stream: ManifestStream, at: FieldPath): string[] {
  if (view !== undefined && fields) {
    refuseAt("invalid_request", [...at, "view"], "cannot be combined with fields");
  }
  if (fields && stream.selection?.fields === false) {
    refuseAt(
      "invalid_request",
      [...at, "fields"],
      "is not offered: the stream is granted with all its fields",
    );
  }
  const declared = Object.keys(getProperties(stream));
  const asked = view === undefined ? (fields ?? declared) : requireViewFields(view, stream, at);
  const unknown = asked.findIndex((field) => !declared.includes(field));
  if (unknown >= 0) refuseAt("unknown_field", [...at, "fields", unknown], "is not a field of the stream");
  const included = new Set([...asked, ...getRequiredFields(stream)]);
  return declared.filter((field) => included.has(field));
}

function requireViewFields(id: string, stream: ManifestStream, at: FieldPath): readonly string[] {
  const view = stream.views?.find((each) => each.id === id);
  return view ? view.fields : refuseAt("invalid_request", [...at, "view"], "is not a view of the stream");
}

function resolveTime(
  { time_range }: StreamRequest,
  stream: ManifestStream,
  at: FieldPath,
): GrantStream["time_constraint"] {
  if (!time_range || (time_range.since === undefined && time_range.until === undefined)) return undefined;
  const path = [...at, "time_range"];
  const field = stream.consent_time_field;
  if (field === undefined) {
    refuseAt("invalid_request", path, `cannot limit ${stream.name}: it declares no consent time`);
  }
  const since = requireTimeMs(time_range.since, [...path, "since"]);
  const until = requireTimeMs(time_range.until, [...path, "until"]);
  if (since !== undefined && until !== undefined && since >= until) {
    refuseAt("invalid_request", path, "is empty");
  }
  return {
    field,
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  };
}

function requireTimeMs(time: string | undefined, path: FieldPath): number | undefined {
  if (time === undefined) return undefined;
  const timeMs = parseTimeMs(time);
  if (timeMs === undefined) refuseAt("invalid_request", path, "is not an ISO 8601 time");
  if (isFinerThanMs(time)) refuseAt("invalid_request", path, "is finer than milliseconds");
  return timeMs;
}

function resolveResources(
  { resources }: StreamRequest,
  stream: ManifestStream,
  at: FieldPath,
): string[] | undefined {
  if (resources && stream.selection?.resources === false) {
    refuseAt(
      "invalid_request",
      [...at, "resources"],
      "is not offered: the stream is granted with all its records",
    );
  }
  return resources && [...new Set(resources)].sort();
}
