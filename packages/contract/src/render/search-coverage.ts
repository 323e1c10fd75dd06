import type { Continuation, SearchMeta, SearchWord } from "@rungs/evidence";
import { findAskedPeriod } from "../query/find-period.ts";
import { renderLabel } from "./label.ts";

const NOT_SEARCHED_CHARS = 400;
const WORD_CHARS = 80;
const ALL_WORDS_CHARS = 120;

/** Says how many records match, how certain that is, what was not searched, and what to do about it (R17). */
export function renderCoverage(meta: SearchMeta, shown: number, call: Continuation): string {
  const { count, count_accuracy, recall, words = [], meaning } = meta;
  const total = {
    exact: `${shown} of ${count} matching records`,
    lower_bound: `${shown} of at least ${count} matching records`,
    estimated: `${shown} of about ${count} matching records`,
    not_counted: `${shown} matching records, the rest not counted`,
  }[count == null ? "not_counted" : count_accuracy];
  const ranked = {
    all_matches: "all ranked",
    candidate_window: "only some of them ranked",
    unknown: "perhaps not all ranked",
  }[recall.ranking_scope];
  const missing = recall.complete ? "" : "; some matches may be missing";
  const isSemantic = call.args.mode === "semantic";
  const isSimilar = count === 0 && shown > 0;
  const lines = isSemantic
    ? [`${shown} of ${count} records that are similar in meaning, the nearest first.`]
    : isSimilar
      ? [`${shown === 1 ? "1 record" : `${shown} records`} by meaning; none has any of the words.`]
      : [`${total}, ${ranked}${missing}${renderWithAll(meta)}.`];
  if (meaning) lines.push(renderMeaning(meaning));
  lines.push(...words.flatMap(renderCut));
  if (recall.not_searched?.length) {
    lines.push(`Not searched: ${renderLabel(recall.not_searched.join(", "), NOT_SEARCHED_CHARS)}.`);
  }
  const advice = adviseSearch(meta, shown, call);
  return [...lines, ...(advice === undefined ? [] : [advice])].join("\n");
}

/** Says which words no granted record has and what was searched instead, and what to do next (R61, R63); undefined if all is well. */
export function adviseSearch(
  { count, words = [], recall }: SearchMeta,
  shown: number,
  call: Continuation,
): string | undefined {
  const narrowed = listNarrowing(call);
  if (call.args.mode === "semantic") return shown === 0 ? adviseDistant(narrowed) : undefined;
  const time = count === 0 ? undefined : findAskedPeriod(call.args)?.text;
  // The answer offers a time in the question as a period; few records spell it out.
  const missing = listMissed(words).filter(({ word }) => !time?.includes(word));
  const said = describeMissing(missing, narrowed);
  const { not_searched = [], fields_not_searched: fields = [] } = recall;
  if ((missing.length > 0 || count === 0) && fields.length > 0)
    said.push(`Fields that are not searched: ${renderLabel(fields.join("; "), NOT_SEARCHED_CHARS)}.`);
  if (count === 0 && shown > 0)
    return [...said, "The hits are similar in meaning; ask with other words if they do not answer."].join(
      " ",
    );
  if (count === 0)
    return [
      "Nothing matches.",
      ...said,
      ...(narrowed === "" ? [] : [`Search without ${narrowed}.`]),
      adviseEmpty(words, [...not_searched, ...fields]),
    ].join(" ");
  if (missing.length === 0) return undefined;
  const next = missing.some(({ widened_to }) => widened_to)
    ? "If that is not what was meant, ask with other words."
    : "If the hits do not answer, ask with other words for it.";
  return [...said, next].join(" ");
}

/** The absent words in one sentence, and one sentence for each word that was widened. */
function describeMissing(words: readonly SearchWord[], narrowed: string): string[] {
  const none = narrowed === "" ? "No record has" : `No record within ${narrowed} has`;
  const absent = words.filter(({ widened_to = [] }) => widened_to.length === 0).map(({ word }) => word);
  const widened = words.filter(({ widened_to = [] }) => widened_to.length > 0);
  return [
    ...(absent.length === 0 ? [] : [`${none} ${renderLabel(absent.join(", "), NOT_SEARCHED_CHARS)}.`]),
    ...widened.map(({ word, widened_to = [] }) => {
      const instead = renderLabel(widened_to.join(", "), NOT_SEARCHED_CHARS);
      return `${none} ${renderLabel(word, WORD_CHARS)}; searched ${instead}.`;
    }),
  ];
}

/** The arguments that narrow a search to some of the records, in words. */
function listNarrowing({ args }: Continuation): string {
  const given = ["since", "until", "filter"].filter((name) => args[name] !== undefined);
  return given.join(" and ");
}

/** Suggests changes to a query that found nothing. */
function adviseEmpty(words: readonly SearchWord[], not_searched: readonly string[] = []): string {
  const required = words.filter(({ need, count }) => need === "required" && count === 0);
  if (required.length > 0)
    return `Leave out or change what no record has: ${renderLabel(required.map(({ word }) => word).join(", "), NOT_SEARCHED_CHARS)}.`;
  if (words.some(({ need }) => need === "required"))
    return "Ask without + and quotes: then words rank and are not required.";
  const unsearched =
    not_searched.length > 0 ? " What was not searched can be listed with query_records." : "";
  return `Use other words for the same thing, a part of a word with * at its end, or a name.${unsearched}`;
}

/** Suggests changes to a search by meaning alone that found nothing. */
function adviseDistant(narrowed: string): string {
  const wider = narrowed === "" ? "" : `without ${narrowed}, `;
  return `Nothing is similar. Search ${wider}with other words, or without mode: then words count too.`;
}

/** Says how much was compared by meaning, unless it was everything (R65). */
function renderMeaning({ state, compared, of }: NonNullable<SearchMeta["meaning"]>): string {
  if (state === "unavailable") return "Only words were compared: the embedding service did not answer.";
  if (state === "off") return "Only words were compared: the owner switched off comparing by meaning.";
  return `Meaning was compared for ${compared} of ${of} records; of the others, only words.`;
}

/** Says which prefixes stand for more words than were searched (R56). */
function renderCut({ word, cut }: SearchWord): string[] {
  return cut
    ? [
        `${renderLabel(word, WORD_CHARS)} begins too many words: only the first in alphabetical order were searched; write more of its letters.`,
      ]
    : [];
}

/**
 * Says how many records have all the words, and names those words if some are light (R61). Says nothing where one word
 * decides, or where a word is missing: then no record can have them all.
 */
function renderWithAll({ count, count_with_all_words, words = [] }: SearchMeta): string {
  const telling = words.filter(({ need, light }) => need !== "excluded" && !light);
  const isImplied =
    telling.length < 2 || telling.some(({ count: own, widened_to }) => own === 0 && !widened_to);
  if (count_with_all_words === undefined || count === 0 || isImplied) return "";
  const named = telling.map(({ word }) => word).join(", ");
  const isEvery = telling.length === words.filter(({ need }) => need !== "excluded").length;
  const all = isEvery ? "all the words" : `all of ${renderLabel(named, ALL_WORDS_CHARS)}`;
  return `; ${countWith(count_with_all_words)} ${all}`;
}

function countWith(count: number): string {
  return count === 0 ? "none has" : count === 1 ? "1 has" : `${count} have`;
}

/** The significant words that no record has. Beside other words, function words are not significant. */
function listMissed(words: readonly SearchWord[]): SearchWord[] {
  const asked = words.filter(({ need }) => need !== "excluded");
  const isAboutMore = asked.some(({ word }) => !isGrammarWord(word));
  const onlyBuilds = ({ word, need, widened_to }: SearchWord) =>
    isAboutMore && need === "wanted" && !widened_to && isGrammarWord(word);
  return asked.filter((one) => one.count === 0 && !one.light && !onlyBuilds(one));
}

/**
 * English function words, which say nothing about a question's topic: question words, auxiliary verbs, pronouns and
 * articles. In a scope of few records, an absent "does" weighs as much as an absent name. This list decides only which
 * absent words an answer names, never a rank, a match or a count. It omits words that are also names or initials (will,
 * may, us).
 */
const GRAMMAR_WORDS: ReadonlySet<string> = new Set(
  [
    "who whom whose what which when where why how",
    "do does did am is are was were be been being have has had",
    "would shall should can could might must",
    "i me my mine you your yours he him his she her hers it its we our ours they them their theirs",
    "a an the this that these those there",
  ].flatMap((line) => line.split(" ")),
);

/** Whether a word of the query is one of them, ignoring case. */
function isGrammarWord(word: string): boolean {
  return GRAMMAR_WORDS.has(word.toLowerCase());
}
