/** Keeps what distinguishes the hits of a page: evidence other than the author's name, as much as fits. */
import { formatFieldPath, parseFieldPath } from "../address/field-path.ts";
import type { Evidence } from "./evidence.ts";
import type { SearchHit, SearchPage } from "./search-hit.ts";
import { shrinkEvidence } from "./snippet.ts";

/** Drops evidence for the author's name where there is other evidence: labels show the name. */
export function dropAuthorEvidence(page: SearchPage): SearchPage {
  return { ...page, data: page.data.map(keepTellingEvidence) };
}

function keepTellingEvidence(hit: SearchHit): SearchHit {
  const isTelling = (field: string) => field !== hit.author_field;
  const evidence = hit.evidence.filter((one) => isTelling(nameField(one)));
  if (evidence.length === 0) return hit;
  return { ...hit, matched_fields: hit.matched_fields.filter(isTelling), evidence };
}

/** Previews of this length leave room for several pieces of evidence. */
const ENOUGH_FOR_SEVERAL_CHARS = 160;
const MAX_PIECES = 4;

/**
 * Shortens a hit's previews to at most `preview_chars` around their matches; with little room, only the best preview
 * stays. A whole field that is at most `slack_chars` longer stays whole: the overhead of a cut field would take as much
 * room.
 */
export function shrinkHit(hit: SearchHit, preview_chars: number, slack_chars = 0): SearchHit {
  const pieces = hit.evidence.slice(0, preview_chars >= ENOUGH_FOR_SEVERAL_CHARS ? MAX_PIECES : 1);
  const evidence = pieces.map((one) =>
    !one.truncated && one.size_chars <= preview_chars + slack_chars
      ? one
      : shrinkEvidence(one, preview_chars),
  );
  return { ...hit, evidence };
}

/** The paths of matching fields that a hit does not show; none for a hit without proven evidence (R12). */
export function listOtherMatches({ evidence, matched_fields }: SearchHit): string[] {
  const shown = evidence.map(nameField);
  const others = shown.length === 0 ? [] : matched_fields.filter((name) => !shown.includes(name));
  return others.map((name) => formatFieldPath([name]));
}

/** The top-level field that a piece of evidence is in. */
function nameField({ field_path }: Evidence): string {
  return String(parseFieldPath(field_path)?.[0] ?? field_path);
}
