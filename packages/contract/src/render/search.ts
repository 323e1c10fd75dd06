/** Renders a page of hits: evidence first, then the coverage, then the next calls (R10, R12–R14, R16, R17). */

import type { CallWriter, Continuation, Evidence, Provenance, SearchHit, SearchPage } from "@rungs/evidence";
import { countBytes, createSnippet, foldToLine } from "@rungs/evidence";
import { renderFewer, renderMost } from "./fit.ts";
import { renderLabels } from "./label.ts";
import type { RenderOptions } from "./options.ts";
import { renderCoverage } from "./search-coverage.ts";

const SNIPPET_CHARS = { least: 24, most: 480 };
const ENOUGH_FOR_SEVERAL_CHARS = 160;
const MAX_SNIPPETS = 4;
const EXAMPLE_MAX_BYTES = 500;

/** Why text is shown that has none of the words. */
const NOT_MATCHED: Partial<Record<Provenance, string>> = {
  similar_passage: ", none of the words: it is similar in meaning",
  context: ", none of the words",
};

/** Renders a page of hits; `call` is the call that it answers. */
export function renderSearch(page: SearchPage, call: Continuation, options: RenderOptions): string {
  const compose = (shown: number, snippet_chars: number) =>
    [
      ...page.data.slice(0, shown).map((hit) => renderHit(hit, snippet_chars, options)),
      renderFoot(page, shown, call, options),
    ].join("\n\n");
  const { budget_bytes } = options;
  const count = page.data.length;
  return (
    renderMost(budget_bytes, SNIPPET_CHARS, (chars) => compose(count, chars)) ??
    renderFewer(budget_bytes, count, (shown) => compose(shown, SNIPPET_CHARS.least))
  );
}

function renderHit(hit: SearchHit, snippet_chars: number, { write }: RenderOptions): string {
  // The label has the author already.
  const telling = hit.evidence.filter(({ preview }) => preview !== hit.author);
  const snippets = (telling.length > 0 ? telling : hit.evidence).slice(
    0,
    snippet_chars >= ENOUGH_FOR_SEVERAL_CHARS ? MAX_SNIPPETS : 1,
  );
  const proof = snippets.flatMap((evidence) => renderEvidence(evidence, snippet_chars, write));
  const unseen = telling
    .filter((one) => !snippets.includes(one))
    .map(({ field_path }) => foldToLine(field_path));
  if (unseen.length > 0) proof.push(`  also matches in: ${unseen.join(", ")}`);
  const fetch = `  no passage proven; read: ${write({ operation: "fetch", args: { id: hit.id } })}`;
  const similar = hit.similar
    ? [`  ${hit.similar.count} more nearly the same: ${write(hit.similar.open)}`]
    : [];
  const { connector_key, display_name, stream, title, event_time, author } = hit;
  const labels = renderLabels([author, event_time, title, display_name, connector_key, stream]);
  const around = hit.thread ? [`  around: ${write(hit.thread)}`] : [];
  const from = `  from: ${labels}${renderConnection(hit)}`;
  return [hit.id, ...(proof.length > 0 ? proof : [fetch]), ...similar, ...around, from].join("\n");
}

/** A snippet, and the call that reads on where the field has more text. */
function renderEvidence(evidence: Evidence, snippet_chars: number, write: CallWriter): string[] {
  const { field_path, size_chars, matches, provenance } = evidence;
  const { line, start_chars, end_chars } = createSnippet(evidence, snippet_chars);
  const elsewhere = matches
    .map((match) => match.start_chars)
    .filter((at) => at < start_chars || at >= end_chars);
  const also = elsewhere.length > 0 ? `, also at ${elsewhere.join(", ")}` : "";
  const isWhole = start_chars === 0 && end_chars === size_chars;
  const range = isWhole
    ? `${size_chars} chars, whole`
    : `${start_chars}-${end_chars} of ${size_chars} chars${also}`;
  const why = NOT_MATCHED[provenance] ?? "";
  const text = `  ${foldToLine(field_path)} (${range}${why}): ${line}`;
  return isWhole ? [text] : [text, `  read: ${write(evidence.read)}`];
}

function renderConnection({ id, connection_id }: SearchHit): string {
  const isEmbedded = id.startsWith(`${connection_id}/`) || id.startsWith("pdpp://");
  return isEmbedded ? "" : ` · connection_id=${JSON.stringify(connection_id)}`;
}

function renderFoot(page: SearchPage, shown: number, call: Continuation, { write }: RenderOptions): string {
  const first = page.data[0];
  const dropped = page.data.length - shown;
  const lines = [renderCoverage(page.meta, shown)];
  if (dropped > 0) lines.push(`${dropped} more of this page did not fit here; ask for smaller pages.`);
  const more = dropped > 0 && shown > 0 ? { limit: shown } : page.next_cursor && { cursor: page.next_cursor };
  if (first) {
    const whole = write({ operation: "fetch", args: { id: first.id } });
    const example = countBytes(whole) <= EXAMPLE_MAX_BYTES ? ` The first record: ${whole}` : "";
    lines.push(`Pass an id as it is shown, and connection_id only where one is shown.${example}`);
  } else
    lines.push(
      `Nothing matches. ${adviseEmpty(page)} What is granted: ${write({ operation: "schema", args: {} })}`,
    );
  if (more) lines.push(`more: ${write({ ...call, args: { ...call.args, ...more } })}`);
  return lines.join("\n");
}

/** Suggests changes to a query that found nothing. */
function adviseEmpty({ meta: { words = [] } }: SearchPage): string {
  const required = words.filter(({ need, count }) => need === "required" && count === 0);
  if (required.length > 0)
    return `Leave out or change what no record has: ${required.map(({ word }) => word).join(", ")}.`;
  if (words.some(({ need }) => need === "required"))
    return "Ask without + and quotes: then words rank and are not required.";
  return "Use other words for the same thing, a part of a word with * at its end, or a name.";
}
