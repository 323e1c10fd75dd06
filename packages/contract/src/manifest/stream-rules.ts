import { type FieldPath, parseFieldPath, roleSchema } from "@rungs/evidence";
import type { Problem } from "../errors/problem.ts";
import { findSchemaProblem, indexSchemas, type JsonType } from "../json-schema/index.ts";
import type { ManifestStream } from "./manifest-schema.ts";
import { isFieldName } from "./names.ts";
import { describeStream, getProperties, getRangeFields, getRequiredFields } from "./stream-shape.ts";

/** How many top-level fields a stream may declare. */
const STREAM_MAX_FIELDS = 256;

type Rule = (stream: ManifestStream) => Problem | undefined;

/** In this order: a later rule relies on the earlier ones. */
const rules: readonly Rule[] = [
  checkRoot,
  checkFieldNames,
  checkSchema,
  checkRoles,
  checkNamedFields,
  checkSearchPaths,
  checkViews,
  checkPrimaryKey,
  checkOrderFields,
];

/** Finds the first rule that a stream's declaration breaks. */
export function findStreamProblem(stream: ManifestStream): Problem | undefined {
  for (const rule of rules) {
    const problem = rule(stream);
    if (problem) return problem;
  }
  return undefined;
}

function checkRoot({ schema }: ManifestStream): Problem | undefined {
  const isObject = typeof schema !== "boolean" && schema.type === "object" && schema.properties !== undefined;
  return isObject ? undefined : { path: ["schema"], message: 'must have type "object" and properties' };
}

function checkFieldNames(stream: ManifestStream): Problem | undefined {
  const names = Object.keys(getProperties(stream));
  const path = ["schema", "properties"];
  if (names.length > STREAM_MAX_FIELDS) {
    return { path, message: `has more than ${STREAM_MAX_FIELDS} properties` };
  }
  const unfit = names.find((name) => !isFieldName(name));
  return unfit === undefined
    ? undefined
    : { path: [...path, unfit], message: "is not a name that a field may have" };
}

function checkSchema({ schema }: ManifestStream): Problem | undefined {
  const problem = findSchemaProblem(schema);
  return problem && { ...problem, path: ["schema", ...problem.path] };
}

function checkRoles({ schema }: ManifestStream): Problem | undefined {
  for (const place of indexSchemas(schema).values()) {
    const role = place.schema.x_pdpp_role;
    if (role === undefined || roleSchema.safeParse(role).success) continue;
    const message = `is not one of the roles ${roleSchema.options.join(", ")}`;
    return { path: ["schema", ...place.path, "x_pdpp_role"], message };
  }
  return undefined;
}

function checkNamedFields(stream: ManifestStream): Problem | undefined {
  const groups: { path: FieldPath; names: readonly string[] }[] = [
    { path: ["schema", "required"], names: getRequiredFields(stream) },
    { path: ["primary_key"], names: stream.primary_key },
    { path: ["cursor_field"], names: [stream.cursor_field ?? []].flat() },
    { path: ["consent_time_field"], names: [stream.consent_time_field ?? []].flat() },
    { path: ["query", "range_filters"], names: getRangeFields(stream) },
    ...(stream.views ?? []).map((view, at) => ({ path: ["views", at, "fields"], names: view.fields })),
  ];
  for (const { path, names } of groups) {
    const unknown = names.find((name) => !Object.hasOwn(getProperties(stream), name));
    if (unknown !== undefined) return { path, message: `names ${unknown}, which is not a declared property` };
  }
  return undefined;
}

function checkSearchPaths(stream: ManifestStream): Problem | undefined {
  const { fields } = describeStream(stream);
  for (const [at, text] of (stream.query?.search?.lexical_fields ?? []).entries()) {
    const path = ["query", "search", "lexical_fields", at];
    const top = parseFieldPath(text)?.[0];
    if (top === undefined) return { path, message: "is not a field path" };
    const field = fields.find(({ name }) => name === top);
    if (!field) return { path, message: "does not begin with a declared property" };
    if (field.encoding !== undefined) return { path, message: "is binary and cannot be searched" };
  }
  return undefined;
}

function checkViews(stream: ManifestStream): Problem | undefined {
  const twice = findRepeated((stream.views ?? []).map((view) => view.id));
  return twice === undefined
    ? undefined
    : { path: ["views", twice, "id"], message: "names a view that is already there" };
}

function checkPrimaryKey(stream: ManifestStream): Problem | undefined {
  const twice = findRepeated(stream.primary_key);
  if (twice !== undefined) {
    return { path: ["primary_key", twice], message: "names a field that is already there" };
  }
  for (const [at, name] of stream.primary_key.entries()) {
    const path = ["primary_key", at];
    if (!getRequiredFields(stream).includes(name)) return { path, message: "is not a required property" };
    if (!hasOnlyTypes(stream, name, ["string", "integer", "number"])) {
      return { path, message: "must be of type string, integer or number" };
    }
  }
  return undefined;
}

function checkOrderFields(stream: ManifestStream): Problem | undefined {
  for (const key of ["cursor_field", "consent_time_field"] as const) {
    const name = stream[key];
    if (name !== undefined && !hasOnlyTypes(stream, name, ["string", "integer", "number", "null"])) {
      return { path: [key], message: "must be of type string, integer or number" };
    }
  }
  return undefined;
}

function hasOnlyTypes(stream: ManifestStream, name: string, types: readonly JsonType[]): boolean {
  const declared = describeStream(stream).fields.find((field) => field.name === name)?.types ?? [];
  return declared.length > 0 && declared.every((type) => types.includes(type));
}

/** The index of the first repeated value of a list. */
export function findRepeated(values: readonly string[]): number | undefined {
  const at = values.findIndex((value, index) => values.indexOf(value) < index);
  return at < 0 ? undefined : at;
}
