import { ApiError } from "../errors/errors.ts";
import type { ReadScope } from "./read-scope.ts";

/** What a request narrows a scope to. */
export interface ScopeChoice {
  /** One connection, or several. */
  readonly connection_id?: string | readonly string[] | undefined;
  /** One stream, or several. */
  readonly stream?: string | readonly string[] | undefined;
  /** Top-level field names. */
  readonly fields?: readonly string[] | undefined;
}

/**
 * Narrows a scope to a request, and never widens it. Anything outside gets the same error whether or not it exists:
 * `grant_stream_not_allowed` for a stream or connection, `field_not_granted` for a field that no remaining entry covers.
 * If a request names several streams or connections, each must be in the scope.
 */
export function narrowScope(scope: ReadScope, { connection_id, stream, fields }: ScopeChoice): ReadScope {
  const streams = scope.streams.filter(
    (entry) => isChosen(connection_id, entry.connection_id) && isChosen(stream, entry.stream),
  );
  const isThere =
    listChosen(connection_id).every((one) => streams.some((entry) => entry.connection_id === one)) &&
    listChosen(stream).every((one) => streams.some((entry) => entry.stream === one));
  if (!isThere) {
    throw new ApiError("grant_stream_not_allowed", {
      param: stream === undefined ? "connection_id" : "stream",
    });
  }
  return { ...scope, streams: fields ? keepFields(streams, fields) : streams };
}

/** Whether a request's choice of one, several or all includes a name. */
export function isChosen(choice: string | readonly string[] | undefined, name: string): boolean {
  return choice === undefined || listChosen(choice).includes(name);
}

function listChosen(choice: string | readonly string[] | undefined): readonly string[] {
  return typeof choice === "string" ? [choice] : (choice ?? []);
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
