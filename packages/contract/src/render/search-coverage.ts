import type { SearchMeta } from "@rungs/evidence";
import { renderLabel } from "./label.ts";

const NOT_SEARCHED_CHARS = 400;

/** Says how many records match, how sure that is, and what was not looked at (R17). */
export function renderCoverage({ count, count_accuracy, recall }: SearchMeta, shown: number): string {
  const total = {
    exact: `${shown} of ${count} matching records`,
    lower_bound: `${shown} of at least ${count} matching records`,
    estimated: `${shown} of about ${count} matching records`,
    not_counted: `${shown} matching records, the rest not counted`,
  }[count == null ? "not_counted" : count_accuracy];
  const ranked = {
    all_matches: "every match was ranked",
    candidate_window: "only some of the matches were ranked",
    unknown: "it is not known whether every match was ranked",
  }[recall.ranking_scope];
  const lines = [`${total}; ${ranked}${recall.complete ? "" : "; some matches may be missing"}.`];
  if (recall.not_searched?.length) {
    lines.push(`Not searched: ${renderLabel(recall.not_searched.join(", "), NOT_SEARCHED_CHARS)}.`);
  }
  return lines.join("\n");
}
