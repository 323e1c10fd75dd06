import { ApiError } from "../errors/errors.ts";
import type { ReadScope } from "./read-scope.ts";

/** What a request narrows a scope to. */
export interface ScopeChoice {
  readonly connection_id?: string | undefined;
  readonly stream?: string | undefined;
  /** Top-level field names. */
  readonly fields?: readonly string[] | undefined;
}

/**
 * Narrows a scope to a request, and never widens it. Anything outside gets the same error whether or not it exists:
 * `grant_stream_not_allowed` for a stream or connection, `field_not_granted` for a field that no remaining entry covers.
 */
export function narrowScope(scope: ReadScope, { connection_id, stream, fields }: ScopeChoice): ReadScope {
  const streams = scope.streams.filter(
    (entry) =>
      (connection_id === undefined || entry.connection_id === connection_id) &&
      (stream === undefined || entry.stream === stream),
  );
  if (streams.length === 0 && (connection_id !== undefined || stream !== undefined)) {
    throw new ApiError("grant_stream_not_allowed", {
      param: stream === undefined ? "connection_id" : "stream",
    });
  }
  return { ...scope, streams: fields ? keepFields(streams, fields) : streams };
}

function keepFields(streams: ReadScope["streams"], fields: readonly string[]): ReadScope["streams"] {
  for (const field of fields) {
    if (!streams.some((entry) => entry.fields.includes(field))) {
      throw new ApiError("field_not_granted", { param: "fields" });
    }
  }
  return streams
    .map((entry) => ({ ...entry, fields: entry.fields.filter((field) => fields.includes(field)) }))
    .filter((entry) => entry.fields.length > 0);
}
