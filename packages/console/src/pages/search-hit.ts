/** One hit of a search: what was found, where, by which words, and its context. */
import { formatRecordPage } from "@rungs/contract";
import {
  type Evidence,
  foldToLine,
  type Provenance,
  type RecordRef,
  type SearchHit,
  type SearchMeta,
  sliceChars,
} from "@rungs/evidence";
import type { StreamNamer } from "../figures/sources.ts";
import { type Html, html, when } from "../ui/html.ts";
import { fieldPage, withQuery } from "../ui/links.ts";
import { MATCH, markText } from "../ui/marked-text.ts";
import { formatFieldName } from "../ui/record/fields.ts";
import { renderInitials, splitPerson } from "../ui/record/person.ts";
import { formatCount, formatNumber, renderTime, shorten } from "../ui/words.ts";
import type { AskedSearch } from "./search-facets.ts";

const TITLE_CHARS = 80;

/** The reason for showing a piece of text without any searched word. */
const LABELS: Readonly<Record<Provenance, string | undefined>> = {
  lexical_match: undefined,
  similar_passage: "Similar in meaning: it has none of your words",
  context: "For context",
};

/** A hit, and the places in it that its page may show; its title is not among them if it matches as a whole. */
export interface FoundHit {
  readonly hit: SearchHit;
  readonly title: Evidence | undefined;
  readonly places: readonly Html[];
}

/** Finds the places of a hit. */
export function listPlaces(hit: SearchHit): FoundHit {
  const title = hit.evidence.find((each) => each.preview === hit.title && isWhole(each));
  const others = hit.evidence.filter((each) => each !== title);
  return { hit, title, places: others.map((each) => renderEvidence(hit, each)) };
}

/** Renders a hit with its first `count` places. */
export function renderHit(
  { hit, title, places }: FoundHit,
  count: number,
  asked: AskedSearch,
  nameStream: StreamNamer,
  { words: searched = [] }: SearchMeta,
): Html {
  const { connection_id, stream, event_time, author, similar, words = [], thread } = hit;
  // In a one-word search, every hit has the word, and its mark says so.
  const isTelling = words.length > 0 && searched.length > 1;
  const left = places.length - count;
  return html`<li class="card" data-item><article><div class="hit-head">${when(author, renderInitials)}<div><h2 dir="auto"><a href="${formatRecordPage(hit)}">${title ? html`<span class="text">${markText(title.preview, 0, title.matches)}</span>` : chooseTitle(hit)}</a></h2>
<p class="small"><bdi>${shorten(nameStream(connection_id, stream))}</bdi>${when(author, (name) => html` · <bdi>${shorten(splitPerson(name).name)}</bdi>`)}${when(event_time, (time) => html` · ${renderTime(time)}`)}</p></div></div>
${places.slice(0, count)}
<p class="small hit-foot">${when(left > 0, () => html`<span>and ${formatCount(left, "more place")}</span>`)}${when(isTelling, () => html`<span>Has ${words.map((word) => html`<b class="word">${word}</b> `)}</span>`)}${when(similar, (same) => renderSimilar(same, asked))}</p>
${when(thread, () => html`<details class="unfold"><summary>Around it</summary><div data-from="${formatRecordPage(hit)}/around"><a href="${formatRecordPage(hit)}/around">Show the records around it</a></div></details>`)}</article></li>`;
}

/** A message without a title is titled by its text. */
function chooseTitle({ title, evidence, id }: SearchHit): string {
  if (title) return title;
  const line = foldToLine(evidence[0]?.preview ?? "").trim();
  return line === "" ? id : `${sliceChars(line, 0, TITLE_CHARS)}${line.length > TITLE_CHARS ? "…" : ""}`;
}

function renderSimilar({ count, open }: NonNullable<SearchHit["similar"]>, asked: AskedSearch): Html {
  const { cursor } = open.args;
  const page = { ...asked, folded: "false", ...(cursor !== undefined && { cursor: String(cursor) }) };
  return html`<a href="${withQuery("/console/search", page)}">${formatNumber(count)} more nearly the same</a>`;
}

function renderEvidence(ref: RecordRef, evidence: Evidence): Html {
  const { field_path, preview, preview_start_chars, preview_end_chars, size_chars, matches, read } = evidence;
  const { offset_chars } = read.args;
  const marks = matches.map(({ start_chars, end_chars }) => `${start_chars}-${end_chars}`).join(",");
  const window = { offset_chars: Number(offset_chars), marks };
  const [before, after] = [preview_start_chars > 0 ? "…" : "", preview_end_chars < size_chars ? "…" : ""];
  const range = isWhole(evidence)
    ? ""
    : ` · characters ${formatNumber(preview_start_chars)}–${formatNumber(preview_end_chars)} of ${formatNumber(size_chars)}`;
  return html`<div class="evidence ${evidence.provenance}">${when(LABELS[evidence.provenance], (label) => html`<p class="small label">${label}</p>`)}
<p class="text" dir="auto">${before}${markText(preview, preview_start_chars, matches)}${after}</p>
<p class="small"><a href="${fieldPage(ref, field_path, window)}#${MATCH}">Read on in ${formatFieldName(field_path)}</a>${range}</p>
</div>`;
}

function isWhole({ preview_start_chars, preview_end_chars, size_chars }: Evidence): boolean {
  return preview_start_chars === 0 && preview_end_chars === size_chars;
}
