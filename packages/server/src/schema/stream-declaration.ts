import type { JsonSchema, ManifestStream, ReadScope, StreamShape } from "@rungs/contract";
import { parseFieldPath } from "@rungs/evidence";
import type { StreamFacts } from "@rungs/store";
import type { Sources } from "../access/authority.ts";
import type { StreamTarget } from "../records/target.ts";

/** Describes the granted part of a stream's declaration: names no field, view or related stream outside the grant. */
export function describeDeclaration(target: StreamTarget, granted: ReadScope) {
  const { source, stream, shape } = target;
  const declared = source.manifest.streams.find(({ name }) => name === stream) as ManifestStream;
  const { description, semantics, selection } = declared;
  return {
    ...(description === undefined ? {} : { description }),
    semantics,
    schema: narrowSchema(declared, shape),
    primary_key: [...shape.primary_key],
    ...(shape.cursor_field === undefined ? {} : { cursor_field: shape.cursor_field }),
    ...(shape.consent_time_field === undefined ? {} : { consent_time_field: shape.consent_time_field }),
    ...(selection === undefined ? {} : { selection }),
    query: describeQuery(declared, target),
    views: listViews(declared, target),
    relationships: listRelationships(declared, target, granted),
  };
}

function describeQuery({ query }: ManifestStream, { shape }: StreamTarget) {
  const isGranted = (path: string) => shape.fields.some(({ name }) => name === parseFieldPath(path)?.[0]);
  return {
    range_filters: shape.fields.filter(({ filterable }) => filterable).map(({ name }) => name),
    search: { lexical_fields: (query?.search?.lexical_fields ?? []).filter(isGranted) },
  };
}

function listViews({ views = [] }: ManifestStream, { limits }: StreamTarget) {
  return views
    .filter(({ fields }) => fields.every((field) => limits.fields.includes(field)))
    .map(({ id, label, fields }) => ({ id, ...(label === undefined ? {} : { label }), fields: [...fields] }));
}

function listRelationships(
  { relationships = [] }: ManifestStream,
  { connection_id }: StreamTarget,
  { streams }: ReadScope,
) {
  return relationships
    .filter(({ stream }) =>
      streams.some((entry) => entry.connection_id === connection_id && entry.stream === stream),
    )
    .map(({ name, stream }) => ({ name, stream }));
}

/** Summarizes a stream: its connection, the number of granted records and their freshness. */
export function summarizeStream(facts: StreamFacts, sources: Sources) {
  const { connection_id, stream: name, record_count } = facts;
  const last_updated = facts.last_updated ?? null;
  return {
    object: "stream" as const,
    name,
    connection_id,
    display_name: sources.get(connection_id)?.display_name ?? null,
    record_count,
    last_updated,
    freshness: { last_updated },
  };
}

const DEFINITION = /^#\/\$defs\/([^/]+)$/;

/**
 * Narrows a JSON Schema to the granted fields. Keeps only definitions that a granted field needs and drops rules over
 * several fields: both would reveal fields outside the grant.
 */
export function narrowSchema({ schema }: ManifestStream, shape: StreamShape): Record<string, unknown> {
  if (typeof schema === "boolean") return {};
  const all = { ...schema.$defs };
  const properties = shape.fields.map(({ name, types }): [string, JsonSchema] => {
    const property = schema.properties?.[name] ?? true;
    return [
      name,
      listRefs(property, all).every((ref) => DEFINITION.test(ref)) ? property : { type: [...types] },
    ];
  });
  const needed = new Set(properties.flatMap(([, property]) => listRefs(property, all)));
  const $defs = Object.entries(all).filter(([name]) => needed.has(`#/$defs/${escapePointer(name)}`));
  return {
    type: "object",
    required: shape.fields.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(properties),
    ...($defs.length === 0 ? {} : { $defs: Object.fromEntries($defs) }),
  };
}

/** Lists every `$ref` in a schema and in the definitions that it leads to. */
function listRefs(schema: unknown, definitions: Readonly<Record<string, unknown>>): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    const ref = "$ref" in value && typeof value.$ref === "string" ? value.$ref : undefined;
    if (ref !== undefined && !found.has(ref)) {
      found.add(ref);
      const name = Object.keys(definitions).find((each) => `#/$defs/${escapePointer(each)}` === ref);
      if (name !== undefined) visit(definitions[name]);
    }
    for (const member of Object.values(value)) visit(member);
  };
  visit(schema);
  return [...found];
}

/** RFC 6901. */
function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
