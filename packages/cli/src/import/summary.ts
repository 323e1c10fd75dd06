import type { Manifest } from "@rungs/contract";
import type { ItemPlace, Rejection, Tally } from "@rungs/server";

const SHOWN = 20;

/** Renders what became of an import's items. */
export function renderCounts({ added, changed, unchanged, rejected }: Tally<ItemPlace>): string {
  return `${added} added, ${changed} changed, ${unchanged} unchanged, ${rejected} rejected`;
}

/** Renders the first of what was not taken, each with its place and reason. */
export function renderRejections(
  rejections: readonly Pick<Rejection<ItemPlace>, "place" | "message">[],
  rejected: number,
): string[] {
  const lines = rejections.slice(0, SHOWN).map(({ place, message }) => `rejected: ${place}: ${message}`);
  const more = rejected - lines.length;
  if (more > 0) lines.push(`and ${more} more; --report FILE names them all.`);
  return lines;
}

/** Renders a manifest that was made up from the files, a line for each stream. */
export function renderFields({ streams }: Manifest): string[] {
  return streams.map(({ name, primary_key, schema }) => {
    const properties = typeof schema === "boolean" ? {} : (schema.properties ?? {});
    const fields = Object.entries(properties).map(([field, shape]) => {
      const { type = "any", format } = typeof shape === "boolean" ? {} : shape;
      const key = primary_key.includes(field) ? ", key" : "";
      return `${field} (${format ?? [type].flat().join(" or ")}${key})`;
    });
    return `${name}: ${fields.join(", ")}`;
  });
}
