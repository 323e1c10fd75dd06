import type { SearchMeta, SearchWord } from "@rungs/evidence";
import { renderLabel } from "./label.ts";

const NOT_SEARCHED_CHARS = 400;
const WORD_CHARS = 80;

/** Says how many records match, how certain that is, and what was not searched (R17). */
export function renderCoverage(meta: SearchMeta, shown: number): string {
  const { count, count_accuracy, recall, count_with_all_words, words = [] } = meta;
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
  if (words.length > 1 && count_with_all_words !== undefined)
    lines.push(`${countWith(count_with_all_words)} all the words.`);
  lines.push(...words.flatMap(renderMissing));
  if (recall.not_searched?.length) {
    lines.push(`Not searched: ${renderLabel(recall.not_searched.join(", "), NOT_SEARCHED_CHARS)}.`);
  }
  return lines.join("\n");
}

/** Says which words no granted record has, and what was searched instead (R61, R63). */
function renderMissing({ word, need, count, widened_to = [] }: SearchWord): string[] {
  if (count > 0 || need === "excluded") return [];
  const name = renderLabel(word, WORD_CHARS);
  if (widened_to.length === 0) return [`No record has ${name}.`];
  return [`No record has ${name}; searched ${renderLabel(widened_to.join(", "), NOT_SEARCHED_CHARS)}.`];
}

function countWith(count: number): string {
  return count === 0 ? "None has" : count === 1 ? "1 has" : `${count} have`;
}
