import type { FieldPath } from "@rungs/evidence";
import type { JsonSchema, JsonSchemaObject } from "./schema.ts";

/** One schema of a document, and where it is. */
export interface SchemaPlace {
  readonly schema: JsonSchemaObject;
  readonly path: FieldPath;
}

/** Every object schema of a document by its JSON pointer (RFC 6901), the root first. */
export type SchemaIndex = ReadonlyMap<string, SchemaPlace>;

const single = ["additionalProperties", "propertyNames", "items", "contains"] as const;
const lists = ["prefixItems", "anyOf", "oneOf", "allOf"] as const;
const maps = ["properties", "patternProperties", "$defs", "definitions"] as const;

/** Lists the schemas of a document. */
export function indexSchemas(root: JsonSchema): SchemaIndex {
  const index = new Map<string, SchemaPlace>();
  collect(root, [], index);
  return index;
}

/** The JSON pointer of a local reference that leads to a schema of the document. */
export function parseRef(ref: string, index: SchemaIndex): string | undefined {
  const pointer = decodeFragment(ref);
  return pointer !== undefined && index.has(pointer) ? pointer : undefined;
}

/** The schema that a local reference names; undefined when it is remote or leads nowhere. */
export function resolveRef(ref: string, index: SchemaIndex): JsonSchemaObject | undefined {
  const pointer = parseRef(ref, index);
  return pointer === undefined ? undefined : index.get(pointer)?.schema;
}

function collect(schema: JsonSchema, path: FieldPath, index: Map<string, SchemaPlace>): void {
  if (typeof schema === "boolean") return;
  index.set(toPointer(path), { schema, path });
  for (const keyword of single) {
    if (schema[keyword] !== undefined) collect(schema[keyword], [...path, keyword], index);
  }
  for (const keyword of lists) {
    for (const [at, child] of (schema[keyword] ?? []).entries()) {
      collect(child, [...path, keyword, at], index);
    }
  }
  for (const keyword of maps) {
    for (const [name, child] of Object.entries(schema[keyword] ?? {})) {
      collect(child, [...path, keyword, name], index);
    }
  }
}

function toPointer(path: FieldPath): string {
  return path.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function decodeFragment(ref: string): string | undefined {
  if (!ref.startsWith("#")) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
}
