/** Converts the manifests of PDPP's connectors (Collection Profile §1) to source declarations. */
import { roleSchema } from "@rungs/evidence";
import { z } from "zod";
import { ApiError } from "../errors/errors.ts";
import { firstProblem, plainMessages } from "../errors/problem.ts";
import { findCheckpointProblem } from "./checkpoints.ts";
import {
  absoluteUriSchema,
  type Manifest,
  type ManifestStream,
  PROTOCOL_VERSION,
} from "./manifest-schema.ts";
import { requireManifest } from "./require-manifest.ts";

const connectorStreamSchema = z.looseObject({
  name: z.string(),
  semantics: z.string(),
  schema: z.looseObject({
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  }),
  primary_key: z.array(z.string()),
  incremental: z.boolean().optional(),
  state_stream: z.string().optional(),
  parent_streams: z.array(z.string()).optional(),
  coverage_strategy: z.string().optional(),
  selection: z.looseObject({ fields: z.boolean().optional(), resources: z.boolean().optional() }).optional(),
  query: z.looseObject({}).optional(),
});

const bindingSchema = z.looseObject({ required: z.boolean().optional() });

const credentialFieldSchema = z.looseObject({
  secret: z.boolean().optional(),
  env: z.array(z.string()).optional(),
});

const connectorManifestSchema = z.looseObject({
  connector_id: z.string().min(1),
  manifest_uri: z.string().optional(),
  version: z.string(),
  display_name: z.string().optional(),
  runtime_requirements: z
    .looseObject({ bindings: z.record(z.string(), bindingSchema).optional() })
    .optional(),
  setup: z
    .looseObject({
      credential_capture: z.looseObject({ fields: z.array(credentialFieldSchema).optional() }).optional(),
    })
    .optional(),
  streams: z.array(connectorStreamSchema).min(1),
});

/** The manifest of a connector: a source declaration, and what its runtime needs to know. */
export type ConnectorManifest = z.infer<typeof connectorManifestSchema>;

/** A stream of a connector. */
export type ConnectorStream = ConnectorManifest["streams"][number];

/** Parses the manifest of a connector; throws `invalid_manifest` with the location and the rule. */
export function requireConnectorManifest(value: unknown): ConnectorManifest {
  const parsed = connectorManifestSchema.safeParse(value, plainMessages);
  const problem = parsed.success ? findCheckpointProblem(parsed.data.streams) : firstProblem(parsed.error);
  if (parsed.success && !problem) return parsed.data;
  const place = problem?.path.join(".") ?? "";
  throw new ApiError("invalid_manifest", {
    ...(place === "" ? {} : { param: place }),
    message: `${place === "" ? "The manifest of the connector" : place}: ${problem?.message}.`,
  });
}

/** Whether a value looks like the manifest of a connector rather than a source declaration. */
export function isConnectorManifest(value: unknown): boolean {
  return typeof value === "object" && value !== null && "connector_id" in value && !("source" in value);
}

/** The source declaration of a connector, without the members for its runtime alone. */
export function convertConnectorManifest(manifest: ConnectorManifest): Manifest {
  const { version, display_name, streams } = manifest;
  return requireManifest({
    protocol_version: PROTOCOL_VERSION,
    source: { kind: "connector", id: findSourceId(manifest) },
    declaration_version: version,
    ...(display_name === undefined ? {} : { display: { name: display_name } }),
    streams: streams.map(convertStream),
  });
}

/** Some connectors are named by a plain word; a source is named by a URI. */
function findSourceId({ connector_id, manifest_uri }: ConnectorManifest): string {
  const uri = [connector_id, manifest_uri].find((each) => absoluteUriSchema.safeParse(each).success);
  return uri ?? `urn:pdpp:connector:${encodeURIComponent(connector_id)}`;
}

/** Members that both have, with the same meaning. */
const SAME = [
  "name",
  "description",
  "display",
  "primary_key",
  "cursor_field",
  "consent_time_field",
  "views",
  "relationships",
] as const satisfies readonly (keyof ManifestStream)[];

const QUERY = ["range_filters", "expand", "search", "aggregations"] as const;

function convertStream(stream: ConnectorStream): unknown {
  const { semantics, selection, query, primary_key } = stream;
  const { required = [], ...schema } = stream.schema;
  return {
    ...pick(stream, SAME),
    // "append" is neither of the protocol's two values; records of such streams do change.
    semantics: semantics === "append_only" ? semantics : "mutable_state",
    schema: {
      ...(dropUnknownRoles(schema) as object),
      required: [...new Set([...required, ...primary_key])],
    },
    ...(selection ? { selection: pick(selection, ["fields", "resources"]) } : {}),
    ...(query ? { query: pick(query, QUERY) } : {}),
  };
}

function pick(from: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function dropUnknownRoles(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(dropUnknownRoles);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) =>
      name !== "x_pdpp_role" || typeof value !== "string" || roleSchema.safeParse(value).success,
  );
  return Object.fromEntries(members.map(([name, value]) => [name, dropUnknownRoles(value)]));
}
