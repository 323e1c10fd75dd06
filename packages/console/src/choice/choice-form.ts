/** The form in which an owner chooses what a client reads: shared by consent, a new grant and a changed grant. */

import type { MaskRules } from "@rungs/evidence";
import type { ConsentStreamView, GrantableStreams } from "@rungs/server";
import type { OwnerRequest } from "../request/console-request.ts";
import { renderCsrfField } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { formatCount, formatNumber, renderDays, renderTime, shorten } from "../ui/words.ts";
import { pageChosen } from "./chosen-page.ts";
import { describeMasks, renderBudget, renderLifetime, renderMasks } from "./limits.ts";
import type { SubmittedChoice } from "./read-choice.ts";
import { renderStreamList, STREAMS } from "./stream-list.ts";

/** The checkbox that every approval needs: a double click that started on another page cannot both tick it and approve. */
export const READ_BOX = "looked";
const DECIDE = "decide";
/** Enter in a text field presses the first button of a form, which must only preview the choice. */
const DEFAULT_BUTTON = html`<input class="hidden" type="submit" name="do" value="update" formnovalidate tabindex="-1" aria-hidden="true">`;

/** The page-specific parts of the form. */
export interface ChoiceFormParts {
  readonly action: string;
  readonly offered: readonly GrantableStreams[];
  readonly choice: SubmittedChoice;
  /** What the choice opens; empty while nothing is chosen. */
  readonly streams: readonly ConsentStreamView[];
  /** Binds the answer to what is shown; undefined while nothing is chosen. */
  readonly digest: string | undefined;
  /** Whether a client asked for them: the owner may not know what is chosen on other pages. */
  readonly are_asked?: boolean;
  /** Content before the streams. */
  readonly first?: Html | undefined;
  readonly hint: string;
  /** Content before the buttons: warnings, further agreements, the owner's password. */
  readonly notes?: Html | undefined;
  readonly main_button: string;
  readonly other_buttons?: Html | undefined;
  /** Content below everything. */
  readonly last?: Html | undefined;
}

/** Renders the form: what to choose from, what it means, and the decision. */
export async function renderChoiceForm(request: OwnerRequest, parts: ChoiceFormParts): Promise<Html> {
  const { action, offered, choice, digest, first, hint, notes, main_button, other_buttons, last } = parts;
  const { decision } = choice;
  return html`<form class="choice" method="post" action="${action}" data-preview="${STREAMS} ${PREVIEW} ${DECIDE}">${renderCsrfField(request)}${DEFAULT_BUTTON}
<section class="choose" aria-labelledby="choose"><h2 id="choose">Your choice</h2>
${first ?? ""}<p class="small">${hint}</p>
${await renderStreamList(request, offered, choice)}
${renderMasks(decision.masks)}</section>
<section class="would" aria-labelledby="would"><h2 id="would">It would read</h2>
${renderStreamPreviews(parts)}
<div class="decide"><div class="terms">${renderLifetime(decision)}${renderBudget(decision.budget)}</div>
<div id="${DECIDE}"><input type="hidden" name="digest" value="${digest ?? ""}">${notes ?? ""}
<label class="check"><input type="checkbox" name="${READ_BOX}" value="yes" required autocomplete="off"> I have looked at what it would read</label>
<div class="actions"><button name="do" value="update" formnovalidate>Preview</button>
<button class="main" name="do" value="approve"${when(digest === undefined, () => html` disabled`)}>${main_button}</button>
${other_buttons ?? ""}</div></div></div>${last ?? ""}</section></form>`;
}

/** The part of a page that the script refreshes after a change to the choice. */
const PREVIEW = "preview";

/** Three rows of each of a few streams; one of each of many. */
const ROWS = 3;
const FEW_STREAMS = 2;

/** Renders the preview of a choice: what the streams of the page open, and how much all of them are. */
function renderStreamPreviews({ streams, choice, offered, are_asked }: ChoiceFormParts): Html {
  const { masks } = choice.decision;
  const { shown, kept } = pageChosen(choice, offered);
  const isOnPage = ({ connection_id, stream }: ConsentStreamView) =>
    shown.some((each) => each.connection_id === connection_id && each.stream === stream);
  const records = streams.reduce((sum, { record_count }) => sum + record_count, 0);
  return html`<div id="${PREVIEW}" class="preview" role="region" aria-label="Preview" tabindex="0">${when(streams.length === 0, () => html`<p>Nothing yet: choose what it may read, then look at it here.</p>`)}
${when(
  kept.length > 0,
  () =>
    html`<p><strong>${formatCount(records, "record")}</strong> of ${formatNumber(streams.length)} kinds. Below are those chosen on this page; the buttons beside the list show the others.</p>`,
)}
${streams.filter(isOnPage).map((stream) => renderStream(stream, masks, streams.length > FEW_STREAMS ? 1 : ROWS))}
${when(are_asked && kept.length > 0, () => renderOthers(streams.filter((stream) => !isOnPage(stream))))}</div>`;
}

/** How many streams of other pages to name, those with the most records first. */
const NAMED_STREAMS = 60;

/**
 * Names what is chosen on other pages, and how much of it: a client with a large request must not hide part of it
 * there.
 */
function renderOthers(streams: readonly ConsentStreamView[]): Html {
  const named = streams.toSorted((a, b) => b.record_count - a.record_count).slice(0, NAMED_STREAMS);
  const more = streams.length - named.length;
  return html`<h3>Chosen on other pages</h3>${named.map(({ display_name, label, record_count }) => html`<p class="small" dir="auto">${shorten(display_name)}: ${shorten(label)}, ${formatCount(record_count, "record")}</p>`)}${when(more > 0, () => html`<p class="small">and ${formatNumber(more)} more</p>`)}`;
}

function renderStream(stream: ConsentStreamView, masks: MaskRules | undefined, rows: number): Html {
  const { display_name, label, fields, conditions, record_count, left_out_count, masked_fields, samples } =
    stream;
  const { since, until, first_at, last_at } = stream;
  const from = when(since, (time) => html`; from ${renderTime(time)}`);
  const before = when(until, (time) => html`; before ${renderTime(time)}`);
  const times = first_at !== undefined && last_at !== undefined && html`, ${renderDays(first_at, last_at)}`;
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
