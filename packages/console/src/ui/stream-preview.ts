/** What a grant would open, stream by stream: counts, times, fields and real rows, as the agent would see them. */
import type { ConsentStreamView } from "@rungs/server";
import { type Html, html, when } from "./html.ts";
import { formatCount, renderDay, renderTime } from "./words.ts";

/** The part of a page that the script renews after a change of the choice. */
export const PREVIEW = "preview";

/** Renders the preview of a choice. */
export function renderStreamPreviews(streams: readonly ConsentStreamView[]): Html {
  return html`<div id="${PREVIEW}" class="preview">${when(streams.length === 0, () => html`<p>Nothing yet: choose what it may read, then look at it here.</p>`)}
${streams.map(renderStream)}</div>`;
}

function renderStream(stream: ConsentStreamView): Html {
  const { display_name, label, fields, conditions, record_count, samples } = stream;
  const { since, until, first_at, last_at } = stream;
  const from = when(since, (time) => html`; from ${renderTime(time)}`);
  const before = when(until, (time) => html`; before ${renderTime(time)}`);
  const times =
    first_at !== undefined && last_at !== undefined && html`, ${renderDay(first_at)} – ${renderDay(last_at)}`;
  return html`<article class="card"><h3 dir="auto">${display_name}: ${label}</h3>
<p><strong>${formatCount(record_count, "record")}</strong>${times}</p>
${conditions.length === 0 ? "" : html`<p>Only where ${conditions.join(" and ")}.</p>`}
<p class="small">${fields.join(", ")}${from}${before}</p>
${when(
  samples.length > 0,
  () => html`<details open><summary>As the agent would see it</summary>
<div class="samples">${samples.map((sample) => html`<pre class="sample" tabindex="0" dir="auto">${sample}</pre>`)}</div></details>`,
)}</article>`;
}
