/** A shorthand for connector manifests. */
import { type Manifest, PROTOCOL_VERSION, requireManifest } from "@rungs/contract";

/** Field shapes that most streams share. */
export const shapes = {
  text: { type: "string" },
  title: { type: "string", x_pdpp_role: "primary-title" },
  body: { type: "string", contentMediaType: "text/plain", x_pdpp_role: "body" },
  actor: { type: "string", x_pdpp_role: "actor" },
  time: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
  thread: { type: "string", x_pdpp_role: "thread" },
  recipients: { type: "array", items: { type: "string" }, x_pdpp_role: "recipient" },
  texts: { type: "array", items: { type: "string" } },
  integer: { type: "integer" },
  flag: { type: "boolean" },
  blob: {
    type: "object",
    required: ["blob_id"],
    properties: {
      blob_id: { type: "string" },
      mime_type: { type: "string" },
      size_bytes: { type: "integer" },
      sha256: { type: "string" },
    },
  },
} as const;

/** The shorthand of a stream: its key is `id`, and every field is declared. */
export interface StreamOutline {
  readonly name: string;
  readonly label: string;
  /** The field with the time of a record; absent for records without a time. */
  readonly time_field?: string;
  readonly searched: readonly string[];
  /**
   * Searched fields and lists that filters may also compare. Scalar fields that are not searched are always filterable.
   */
  readonly filtered?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
  readonly relationships?: readonly Relationship[];
  readonly views?: readonly { readonly id: string; readonly label: string; readonly fields: string[] }[];
}

/** Records of another stream that belong to a record, by a field of theirs (`many`) or of its own (`one`). */
interface Relationship {
  readonly name: string;
  readonly stream: string;
  readonly foreign_key: string;
  readonly cardinality: "one" | "many";
}

/** The shorthand of a connector. */
export interface ConnectorOutline {
  readonly connector: string;
  readonly name: string;
  /**
   * Bump it with every change to the streams. A database keeps each version forever and refuses different content under
   * the same version; the next import moves the connection to the new one.
   */
  readonly version: string;
  readonly streams: readonly StreamOutline[];
}

/** Declares a connector. The manifest is built and validated on first use, because that takes tens of milliseconds. */
export function declare(outline: ConnectorOutline): () => Manifest {
  let manifest: Manifest | undefined;
  return () => {
    manifest ??= buildManifest(outline);
    return manifest;
  };
}

const SOURCE_PREFIX = "urn:rungs:connector:";
/** The former prefix of ids: a domain that nobody owns. */
const FORMER_PREFIX = "https://rungs.example/connectors/";

/** The source of a connector, by its name. */
export function createSource(connector: string): Manifest["source"] {
  return { kind: "connector", id: `${SOURCE_PREFIX}${connector}` };
}

/** The same manifest for a connection that an older version created: the connection and its grants keep their id. */
export function withSourceId(manifest: Manifest, stored_id: string | undefined): Manifest {
  const former = manifest.source.id.replace(SOURCE_PREFIX, FORMER_PREFIX);
  return stored_id === former ? { ...manifest, source: { ...manifest.source, id: former } } : manifest;
}

function buildManifest({ connector, name, version, streams }: ConnectorOutline): Manifest {
  return requireManifest({
    protocol_version: PROTOCOL_VERSION,
    source: createSource(connector),
    declaration_version: version,
    display: { name },
    streams: streams.map(buildStream),
  });
}

function buildStream({
  name,
  label,
  time_field,
  searched,
  filtered,
  properties,
  relationships,
  views,
}: StreamOutline): object {
  return {
    name,
    display: { label },
    semantics: "mutable_state",
    primary_key: ["id"],
    ...(time_field === undefined ? {} : { cursor_field: time_field, consent_time_field: time_field }),
    ...(views === undefined ? {} : { views }),
    ...(relationships === undefined ? {} : { relationships }),
    query: {
      search: { lexical_fields: searched },
      ...(filtered === undefined ? {} : { range_filters: filtered }),
    },
    schema: { type: "object", required: ["id"], properties },
  };
}
