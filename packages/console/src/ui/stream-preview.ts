/** What a grant would open, stream by stream: counts, times, fields and real rows, as the agent would see them. */
import type { MaskRules } from "@rungs/evidence";
import type { ConsentStreamView } from "@rungs/server";
import { describeMasks } from "../choice/limits.ts";
import { type Html, html, when } from "./html.ts";
import { formatCount, formatNumber, renderDay, renderTime } from "./words.ts";

/** The part of a page that the script renews after a change of the choice. */
export const PREVIEW = "preview";

/** Three rows of each of a few streams; one of each of many. */
const ROWS = 3;
const FEW_STREAMS = 2;

/** Renders the preview of a choice. */
export function renderStreamPreviews(streams: readonly ConsentStreamView[], masks?: MaskRules): Html {
  return html`<div id="${PREVIEW}" class="preview" role="region" aria-label="Preview" tabindex="0">${when(streams.length === 0, () => html`<p>Nothing yet: choose what it may read, then look at it here.</p>`)}
${streams.map((stream) => renderStream(stream, masks, streams.length > FEW_STREAMS ? 1 : ROWS))}</div>`;
}

function renderStream(stream: ConsentStreamView, masks: MaskRules | undefined, rows: number): Html {
  const { display_name, label, fields, conditions, record_count, left_out_count, masked_fields, samples } =
    stream;
  const { since, until, first_at, last_at } = stream;
  const from = when(since, (time) => html`; from ${renderTime(time)}`);
  const before = when(until, (time) => html`; before ${renderTime(time)}`);
  const times =
    first_at !== undefined && last_at !== undefined && html`, ${renderDay(first_at)} – ${renderDay(last_at)}`;
  return html`<article class="card"><h3 dir="auto">${display_name}: ${label}</h3>
<p><strong>${formatCount(record_count, "record")}</strong>${times}${when(left_out_count > 0, () => html` · <span class="small">${formatNumber(left_out_count)} left out</span>`)}</p>
${conditions.length === 0 ? "" : html`<p>Only where ${conditions.join(" and ")}.</p>`}
${when(masked_fields.length > 0 && masks, (rules) => html`<p>Without ${describeMasks(rules)}${describeUnmasked(fields, masked_fields)}.</p>`)}
<p class="small">${fields.join(", ")}${from}${before}</p>
${when(
  samples.length > 0,
  () => html`<details open><summary>As the agent would see it</summary>
<div class="samples">${samples.slice(0, rows).map((sample) => html`<pre class="sample" tabindex="0" dir="auto">${sample}</pre>`)}</div></details>`,
)}</article>`;
}

/** Times are never masked, and need no mention. */
function describeUnmasked(fields: readonly string[], masked: readonly string[]): string {
  const plain = fields.filter((name) => !masked.includes(name));
  return plain.length > 1 ? `, but not in ${plain.join(", ")}` : "";
}
