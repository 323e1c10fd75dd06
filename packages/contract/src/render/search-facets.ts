import type { SearchFacets } from "@rungs/evidence";
import { renderLabel } from "./label.ts";

const SHOWN = 12;
const NAME_CHARS = 80;

/** Renders how many matching records each source, month and author has, a line each (R68). */
export function renderFacets({ is_complete, sources, months, people }: SearchFacets): string[] {
  const lines = {
    "By source": sources.map(({ connection_id, stream, count }) => `${connection_id}/${stream} ${count}`),
    "By month": months.map(({ month, count }) => `${month} ${count}`),
    "By person": people.map(
      ({ field, value, count }) => `${renderLabel(`${field}=${value}`, NAME_CHARS)} ${count}`,
    ),
  };
  const some = is_complete ? "" : " (of the last written records only)";
  return Object.entries(lines)
    .filter(([, entries]) => entries.length > 0)
    .map(
      ([name, entries]) =>
        `${name}${name === "By source" ? "" : some}: ${entries.slice(0, SHOWN).join("; ")}`,
    );
}
