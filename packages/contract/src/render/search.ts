/** Renders a page of hits: evidence first, then the coverage, then the next calls (R10, R12–R14, R16, R17). */

import type {
  CallWriter,
  Continuation,
  Evidence,
  Provenance,
  SearchFacets,
  SearchHit,
  SearchPage,
} from "@rungs/evidence";
import {
  countChars,
  countLongIdBytes,
  createSnippet,
  dropAuthorEvidence,
  foldToLine,
  listOpenings,
  listOtherMatches,
  shrinkHit,
} from "@rungs/evidence";
import { offerPeriod } from "../query/find-period.ts";
import { renderFewer, renderMost } from "./fit.ts";
import { renderLabel, renderLabels, renderWeekday } from "./label.ts";
import type { RenderOptions } from "./options.ts";
import { renderCoverage } from "./search-coverage.ts";

const SNIPPET_CHARS = { least: 24, most: 500 };

/** The overhead of a cut field besides the id: its range, and the frame of the call that reads on. */
const READ_CALL_CHARS = 70;

/** Snippets get shorter until the page has about this size: ten hits in 1,500 tokens. */
const COMFORT = { hits: 10, hit_bytes: 395, foot_bytes: 800, id_copies: 2 };

const FACETS = { most: 12, name_chars: 80 };

/** The reason for showing text that has none of the words. */
const NOT_MATCHED: Partial<Record<Provenance, string>> = {
  similar_passage: "none of the words, similar in meaning",
  context: "for context",
};

/** Renders a page of hits; `call` is the call that it answers. */
export function renderSearch(whole: SearchPage, call: Continuation, options: RenderOptions): string {
  const page = dropAuthorEvidence(whole);
  const compose = (shown: number, snippet_chars: number) =>
    [
      ...page.data
        .slice(0, shown)
        .map((hit, at) => renderHit(hit, snippet_chars, isNewSource(page.data, at), options)),
      renderFoot(page, shown, call, options),
    ].join("\n\n");
  const { budget_bytes } = options;
  const count = page.data.length;
  const comfort_bytes =
    COMFORT.foot_bytes +
    COMFORT.hit_bytes * Math.max(count, COMFORT.hits) +
    COMFORT.id_copies * countLongIdBytes(page.data);
  return (
    renderMost(Math.min(budget_bytes, comfort_bytes), SNIPPET_CHARS, (chars) => compose(count, chars)) ??
    renderFewer(budget_bytes, count, (shown) => compose(shown, SNIPPET_CHARS.least))
  );
}

/** Whether the hit at `at` is the first of its connection and stream on the page. */
function isNewSource(hits: readonly SearchHit[], at: number): boolean {
  const { connection_id, stream } = hits[at] as SearchHit;
  return hits.findIndex((hit) => hit.connection_id === connection_id && hit.stream === stream) === at;
}

function renderHit(
  whole: SearchHit,
  snippet_chars: number,
  isNew: boolean,
  { write }: RenderOptions,
): string {
  const hit = shrinkHit(whole, snippet_chars, countChars(whole.id) + READ_CALL_CHARS);
  const proof = hit.evidence.flatMap((evidence) => renderEvidence(evidence, write));
  const others = listOtherMatches(hit).map(foldToLine);
  if (others.length > 0) proof.push(`  also matches in: ${others.join(", ")}`);
  const fetch = `  no passage proven; read: ${write({ operation: "fetch", args: { id: hit.id } })}`;
  const similar = hit.similar
    ? [`  ${hit.similar.count} more nearly the same: ${write(hit.similar.open)}`]
    : [];
  const { connector_key, display_name, stream, title, event_time, author } = hit;
  const source = isNew ? [display_name, connector_key, stream] : [];
  const labels = renderLabels([author, event_time && renderWeekday(event_time), title, ...source]);
  const from = [...(labels === "" ? [] : [labels]), ...renderConnection(hit)].join(" · ");
  const lines = [hit.id, ...(proof.length > 0 ? proof : [fetch]), ...similar];
  return [...lines, ...(from === "" ? [] : [`  from: ${from}`])].join("\n");
}

/** A snippet; where the field has more text, also its range and the call that reads on. */
function renderEvidence(evidence: Evidence, write: CallWriter): string[] {
  const { field_path, size_chars, matches, provenance } = evidence;
  const { line, start_chars, end_chars } = createSnippet(evidence);
  const elsewhere = matches
    .map((match) => match.start_chars)
    .filter((at) => at < start_chars || at >= end_chars);
  const also = elsewhere.length > 0 ? [`also at ${elsewhere.join(", ")}`] : [];
  const isWhole = start_chars === 0 && end_chars === size_chars;
  const range = isWhole ? [] : [`${start_chars}-${end_chars} of ${size_chars} chars`, ...also];
  const notes = [...range, ...(NOT_MATCHED[provenance] ? [NOT_MATCHED[provenance]] : [])].join(", ");
  const text = `  ${foldToLine(field_path)}${notes === "" ? "" : ` (${notes})`}: ${line}`;
  return isWhole ? [text] : [text, `  read: ${write(evidence.read)}`];
}

function renderConnection({ id, connection_id }: SearchHit): string[] {
  const isEmbedded = id.startsWith(`${connection_id}/`) || id.startsWith("pdpp://");
  return isEmbedded ? [] : [`connection_id=${JSON.stringify(connection_id)}`];
}

function renderFoot(page: SearchPage, shown: number, call: Continuation, { write }: RenderOptions): string {
  const dropped = page.data.length - shown;
  const lines = [renderCoverage(page.meta, shown, call), ...(page.facets ? renderFacets(page.facets) : [])];
  if (dropped > 0) lines.push(`${dropped} more of this page did not fit here; ask for smaller pages.`);
  const { open, around, granted } = listOpenings(page.data);
  if (granted) lines.push(`What is granted: ${write(granted)}`);
  if (page.data.length > 0) lines.push(renderOpening(page.data, open ? write(open) : "fetch, by id"));
  if (around) lines.push(`around it: ${write(around)}`);
  const period = offerPeriod(page, call);
  if (period) lines.push(`only ${renderLabel(period.text)}: ${write(period.call)}`);
  const more = dropped > 0 && shown > 0 ? { limit: shown } : page.next_cursor && { cursor: page.next_cursor };
  if (more) lines.push(`more: ${write({ ...call, args: { ...call.args, ...more } })}`);
  return lines.join("\n");
}

/** The call that opens a record of the page; adds its connection_id where ids do not name their connection. */
function renderOpening(hits: readonly SearchHit[], call: string): string {
  const isNeeded = hits.some((hit) => renderConnection(hit).length > 0);
  return `whole record${isNeeded ? ", with connection_id where one is shown" : ""}: ${call}`;
}

/** Renders how many matching records each source, month and author has, a line each (R68). */
function renderFacets({ is_complete, sources, months, people }: SearchFacets): string[] {
  const lines = {
    "By source": sources.map(({ connection_id, stream, count }) => `${connection_id}/${stream} ${count}`),
    "By month": months.map(({ month, count }) => `${month} ${count}`),
    "By person": people.map(
      ({ field, value, count }) => `${renderLabel(`${field}=${value}`, FACETS.name_chars)} ${count}`,
    ),
  };
  const some = is_complete ? "" : " (of the last written records only)";
  return Object.entries(lines)
    .filter(([, entries]) => entries.length > 0)
    .map(
      ([name, entries]) =>
        `${name}${name === "By source" ? "" : some}: ${entries.slice(0, FACETS.most).join("; ")}`,
    );
}
