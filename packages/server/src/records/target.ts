/** Resolves the stream or record that a request is about. */
import {
  ApiError,
  ambiguousConnection,
  type FieldShape,
  narrowScope,
  narrowShape,
  type ReadScope,
  type StreamScope,
  type StreamShape,
} from "@rungs/contract";
import { formatFieldPath } from "@rungs/evidence";
import type { Store, StoredRef } from "@rungs/store";
import { type Authority, requireScope, type Source } from "../access/authority.ts";

/** One granted stream of one connection, with everything that a read needs. */
export interface StreamTarget {
  readonly connection_id: string;
  readonly stream: string;
  /** Covers only this stream. */
  readonly scope: ReadScope;
  readonly limits: StreamScope;
  readonly source: Source;
  /** The granted part of the stream's declaration. */
  readonly shape: StreamShape;
}

/** One record, which may not exist. */
export interface RecordTarget extends StreamTarget {
  readonly ref: StoredRef;
}

/** The one stream that matches, or an error that lists the connections to choose from (R04). */
export function requireStream(
  authority: Authority,
  { connection_id, stream, fields }: StreamChoice,
): StreamTarget {
  const { streams } = requireScope(authority, { connection_id, stream });
  const [only, ...others] = streams;
  if (!only || others.length > 0) throw createAmbiguousError(authority, streams);
  return requireFields(describeTarget(authority, only), fields);
}

/** The one stream that holds the record, as far as the grant can reveal (R04). */
export async function requireRecord(
  authority: Authority,
  { connection_id, stream, fields, id: record_id }: StreamChoice & { readonly id: string },
  store: Store,
): Promise<RecordTarget> {
  const scope = requireScope(authority, { connection_id, stream });
  const held =
    scope.streams.length === 1 ? scope.streams : await listHoldingStreams(scope, stream, record_id, store);
  const [only, ...others] = held;
  if (!only) throw new ApiError("not_found", { param: "id" });
  if (others.length > 0) throw createAmbiguousError(authority, held);
  const target = requireFields(describeTarget(authority, only), fields);
  return { ...target, ref: { connection_id: only.connection_id, stream, record_id } };
}

interface StreamChoice {
  readonly stream: string;
  readonly connection_id?: string | undefined;
  readonly fields?: readonly string[] | undefined;
}

/** Checks the fields without narrowing the scope: hidden fields can still be sorted and filtered by. */
function requireFields(target: StreamTarget, fields: readonly string[] | undefined): StreamTarget {
  narrowScope(target.scope, { fields });
  return target;
}

async function listHoldingStreams(scope: ReadScope, stream: string, record_id: string, store: Store) {
  const connections = await store.locate(scope, stream, record_id);
  return scope.streams.filter(({ connection_id }) => connections.includes(connection_id));
}

function createAmbiguousError({ sources }: Authority, streams: readonly StreamScope[]): ApiError {
  return ambiguousConnection(
    streams.map(({ connection_id }) => ({
      connection_id,
      display_name: sources.get(connection_id)?.display_name,
    })),
  );
}

/** A grant can outlive its stream: a later declaration may have dropped it. */
function describeTarget({ scope, sources }: Authority, limits: StreamScope): StreamTarget {
  const { connection_id, stream } = limits;
  const source = sources.get(connection_id);
  const shape = source?.shapes.get(stream);
  if (!source || !shape) throw new ApiError("not_found", { param: "stream" });
  const granted = { ...scope, streams: [limits] };
  return { connection_id, stream, scope: granted, limits, source, shape: narrowShape(shape, limits.fields) };
}

/** The declaration of the top-level field at `path`; undefined for nested paths. */
export function findFieldShape({ fields }: StreamShape, path: string): FieldShape | undefined {
  return fields.find(({ name }) => formatFieldPath([name]) === path);
}
