import assert from "node:assert/strict";
import type { ManifestStream, ReadScope, StreamScope, StreamShape } from "@rungs/contract";
import type { StreamName } from "../access/authority.ts";
import type { Source, Sources } from "../access/sources.ts";

/** What is known of a stream that the store has just described, so it is declared and in the scope. */
export interface FoundStream {
  readonly limits: StreamScope;
  readonly source: Source;
  readonly declared: ManifestStream;
  readonly shape: StreamShape;
}

/** Finds the limits and the declaration of a stream. */
export function findStream(
  { streams }: ReadScope,
  sources: Sources,
  { connection_id, stream }: StreamName,
): FoundStream {
  const limits = streams.find((entry) => entry.connection_id === connection_id && entry.stream === stream);
  const source = sources.get(connection_id);
  const declared = source?.manifest.streams.find(({ name }) => name === stream);
  const shape = source?.shapes.get(stream);
  assert(limits && source && declared && shape, "a described stream is granted and declared");
  return { limits, source, declared, shape };
}
