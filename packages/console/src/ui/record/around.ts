/** The records around one in its thread: a conversation, with its branches where records say what they answer (R66). */
import { formatRecordPage, type OutgoingRecord, presentRecord, type Thread } from "@rungs/contract";
import { type Html, html, when } from "../html.ts";
import { renderTime } from "../words.ts";
import { type Branches, findBranches } from "./branches.ts";
import { renderInitials } from "./person.ts";
import { describeRow } from "./row.ts";

/** Renders the conversation around a record, with links to go on either way; empty for a record in no thread. */
export function renderAround({ anchor, in_thread, data, has_before, has_after }: Thread): Html | string {
  if (!in_thread || data.length === 1) return "";
  const [first, last] = [data[0], data.at(-1)].map(
    (record) => record && presentRecord(record, 0).view.record,
  );
  const branches = findBranches(data, anchor);
  return html`<section class="around" id="around"><h2>Around this record</h2>
${when(has_before && first, (record) => html`<p class="pages"><a rel="prev" href="${formatRecordPage(record)}#around">Earlier</a></p>`)}
<ol class="talk">${data.map((record) => renderTurn(record, record.handle === anchor, branches))}</ol>
${when(has_after && last, (record) => html`<p class="pages"><a rel="next" href="${formatRecordPage(record)}#around">Later</a></p>`)}
</section>`;
}

function renderTurn(record: OutgoingRecord, isAnchor: boolean, branches: Branches): Html {
  const { title, snippet, actor, event_time, href } = describeRow(record);
  const branch = branches.get(record.handle);
  const notes = [
    ...(branch?.of === undefined ? [] : [`version ${branch.number} of ${branch.of}`]),
    ...(branch?.is_aside ? ["another branch"] : []),
    ...(isAnchor ? ["this record"] : []),
  ];
  const head = html`<p class="small turn-head">${when(actor, (name) => html`<strong dir="auto">${name}</strong> `)}${when(event_time, (time) => html`${renderTime(time)}`)}
${notes.length === 0 ? "" : ` · ${notes.join(" · ")}`}</p>`;
  return html`<li data-item class="${branch?.is_aside ? "aside" : ""}"${isAnchor ? html` aria-current="true"` : ""}>${renderInitials(actor ?? "")}
<div>${head}${isAnchor ? html`<strong dir="auto">${title}</strong>` : html`<a href="${href}" dir="auto">${title}</a>`}
${when(snippet, (text) => html`<p class="snippet" dir="auto">${text}</p>`)}</div></li>`;
}
