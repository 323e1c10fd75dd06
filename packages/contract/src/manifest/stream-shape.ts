import { parseFieldPath, type Role, roleSchema } from "@rungs/evidence";
import {
  indexSchemas,
  inferTypes,
  type JsonSchema,
  type JsonSchemaObject,
  type JsonType,
  resolveRef,
  type SchemaIndex,
} from "../json-schema/index.ts";
import type { ManifestStream } from "./manifest-schema.ts";

/** The declaration of one top-level field. */
export interface FieldShape {
  readonly name: string;
  readonly types: readonly JsonType[];
  readonly format?: string;
  readonly role?: Role;
  readonly media_type?: string;
  readonly encoding?: string;
  readonly required: boolean;
  /** The source declares it private (`x_pdpp_private`): a grant has it only if the owner picks it explicitly. */
  readonly is_private?: true;
  /** The declared search paths at or under this field; none means that the field is not searched. */
  readonly lexical: readonly string[];
  /** Whether every value is a string, a number, a boolean or null. */
  readonly scalar: boolean;
  readonly filterable: boolean;
  /** Whether records can be sorted, grouped and measured by it too. */
  readonly aggregatable: boolean;
  /** For a filterable list or person: the types of the values in it, which filters compare one by one. */
  readonly listed?: readonly JsonType[];
}

/** A stream's declaration, prepared for lookups. */
export interface StreamShape {
  readonly name: string;
  readonly semantics: ManifestStream["semantics"];
  readonly primary_key: readonly string[];
  readonly cursor_field?: string;
  readonly consent_time_field?: string;
  readonly fields: readonly FieldShape[];
  /** The streams whose records its records belong to, with the field that holds their key. */
  readonly parents: readonly { readonly stream: string; readonly foreign_key: string }[];
}

/** Extracts from a stream's declaration what storing, searching and filtering need. */
export function describeStream(stream: ManifestStream): StreamShape {
  const index = indexSchemas(stream.schema);
  const lexical = groupByField(stream.query?.search?.lexical_fields ?? []);
  return {
    name: stream.name,
    semantics: stream.semantics,
    primary_key: stream.primary_key,
    ...(stream.cursor_field === undefined ? {} : { cursor_field: stream.cursor_field }),
    ...(stream.consent_time_field === undefined ? {} : { consent_time_field: stream.consent_time_field }),
    fields: Object.entries(getProperties(stream)).map(([name, schema]) =>
      describeField(stream, name, schema, index, lexical.get(name)),
    ),
    parents: (stream.relationships ?? []).flatMap(({ stream: parent, foreign_key, cardinality }) =>
      cardinality === "one" && foreign_key !== undefined ? [{ stream: parent, foreign_key }] : [],
    ),
  };
}

/** Narrows a stream's shape to the granted fields. */
export function narrowShape(shape: StreamShape, fields: readonly string[]): StreamShape {
  const { cursor_field, consent_time_field, ...rest } = shape;
  const isGranted = (name: string | undefined): name is string => name !== undefined && fields.includes(name);
  return {
    ...rest,
    ...(isGranted(cursor_field) ? { cursor_field } : {}),
    ...(isGranted(consent_time_field) ? { consent_time_field } : {}),
    fields: shape.fields.filter(({ name }) => fields.includes(name)),
  };
}

/** The declared top-level fields of a stream, by name. */
export function getProperties(stream: ManifestStream): Readonly<Record<string, JsonSchema>> {
  return typeof stream.schema === "boolean" ? {} : (stream.schema.properties ?? {});
}

/** The names that every record of a stream must have. */
export function getRequiredFields(stream: ManifestStream): readonly string[] {
  return typeof stream.schema === "boolean" ? [] : (stream.schema.required ?? []);
}

/** The fields on which a stream's declaration allows comparisons, searchable ones included. */
export function getRangeFields(stream: ManifestStream): readonly string[] {
  const declared = stream.query?.range_filters ?? [];
  return Array.isArray(declared) ? declared : Object.keys(declared);
}

function describeField(
  stream: ManifestStream,
  name: string,
  schema: JsonSchema,
  index: SchemaIndex,
  lexical: readonly string[] = [],
): FieldShape {
  const types = inferTypes(schema, index);
  const notes = collectAnnotations(schema, index);
  const scalar = types.length > 0 && types.every((type) => type !== "array" && type !== "object");
  const comparable = scalar && types.some((type) => type !== "null") && notes.contentEncoding === undefined;
  const role = roleSchema.safeParse(notes.x_pdpp_role).data;
  const isNamed = role === "actor" || getRangeFields(stream).includes(name);
  const aggregatable = comparable && (lexical.length === 0 || isNamed);
  const listed = isNamed && !scalar ? inferListedTypes(types, notes, index) : [];
  return {
    name,
    types,
    ...(notes.format === undefined ? {} : { format: notes.format }),
    ...(role === undefined ? {} : { role }),
    ...(notes.contentMediaType === undefined ? {} : { media_type: notes.contentMediaType }),
    ...(notes.contentEncoding === undefined ? {} : { encoding: notes.contentEncoding }),
    required: getRequiredFields(stream).includes(name),
    ...(notes.x_pdpp_private === true && { is_private: true as const }),
    lexical,
    scalar,
    filterable: aggregatable || listed.length > 0,
    aggregatable,
    ...(listed.length > 0 && { listed }),
  };
}

/** The types of a list's items, or of the members of a person and of the persons in a list. */
function inferListedTypes(
  types: readonly JsonType[],
  { items, properties }: JsonSchemaObject,
  index: SchemaIndex,
): JsonType[] {
  const inside: JsonType[] = types.filter((type) => isScalarType(type) && type !== "null");
  if (types.includes("object"))
    inside.push(...Object.values(properties ?? {}).flatMap((each) => inferTypes(each, index)));
  if (types.includes("array") && items !== undefined) {
    const own = inferTypes(items, index);
    inside.push(
      ...(own.includes("array") ? [] : inferListedTypes(own, collectAnnotations(items, index), index)),
    );
  }
  return [...new Set(inside.filter((type) => isScalarType(type) && type !== "null"))];
}

function isScalarType(type: JsonType): boolean {
  return type !== "array" && type !== "object";
}

/** The schema's annotations, then those of the schema it refers to. */
function collectAnnotations(schema: JsonSchema, index: SchemaIndex): JsonSchemaObject {
  if (typeof schema === "boolean") return {};
  const target = schema.$ref === undefined ? undefined : resolveRef(schema.$ref, index);
  return target ? { ...collectAnnotations(target, index), ...schema } : schema;
}

function groupByField(paths: readonly string[]): Map<string, string[]> {
  return Map.groupBy(new Set(paths), (path) => String(parseFieldPath(path)?.[0]));
}

/** The fields that name the thread of a record, by their declared role. */
export function listThreadFields({ fields }: StreamShape): string[] {
  return fields.filter(({ role }) => role === "thread").map(({ name }) => name);
}

/** The thread of a record: the first of its thread fields that has a value. */
export function findThread(shape: StreamShape, data: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of listThreadFields(shape)) {
    const value = Object.hasOwn(data, field) ? data[field] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** Whether the granted fields reveal a record's thread and time: only then may the caller learn its neighbours. */
export function seesThreads(shape: StreamShape, granted: ReadonlySet<string>): boolean {
  const fields = listThreadFields(shape);
  const time = shape.consent_time_field;
  return fields.length > 0 && time !== undefined && [...fields, time].every((field) => granted.has(field));
}
