import type { JsonSchema, ManifestStream, StreamShape } from "@rungs/contract";

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
