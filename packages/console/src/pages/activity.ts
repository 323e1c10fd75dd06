import { CONSOLE_CLIENT, listAudit, OWNER_CLIENT } from "@rungs/server";
import type { StoredAuditEntry } from "@rungs/store";
import type { Show } from "../request/route.ts";
import {
  createLogNames,
  groupByRequest,
  type LogNames,
  listWholeRequests,
  renderRequest,
} from "../ui/audit-rows.ts";
import { type Html, html } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { readAsked, readFilter, renderFilter } from "./activity-filter.ts";
import { renderSummary, SUMMARY_DAYS } from "./activity-summary.ts";
import { renderConversations } from "./receipt.ts";

/** How much of the log to read: the page shows as much as fits, and conversations begin far above its last row. */
const ROWS = 400;
const SHOWN_REQUESTS = 50;
/** The page's total room, and the log's minimum share. */
const [BODY_BYTES, LEAST_LOG_BYTES] = [16_500, 3_000];

/** The audit log: who read which part of what and when (R55), and every change of who may read. */
export const showActivity: Show = async (request) => {
  const { context, query } = request;
  const before_audit_id = Number(query("before")) || undefined;
  const filter = readFilter(request);
  const found = await listAudit(context, { ...filter, before_audit_id, limit: ROWS + 1 });
  const newest = found.length > ROWS ? listWholeRequests(found.slice(0, ROWS)) : found;
  const asked = readAsked(request);
  const file = (format: string) => withQuery("/console/activity/export", { ...asked, format });
  const now_ms = context.now();
  const days = await context.readActivity(SUMMARY_DAYS);
  const shown = days.filter(({ client_id }) =>
    filter.client_id === undefined
      ? !filter.except_client_ids?.includes(client_id)
      : client_id === filter.client_id,
  );
  const isFirst = before_audit_id === undefined;
  const agents = newest.filter(({ client_id }) => client_id !== OWNER_CLIENT && client_id !== CONSOLE_CLIENT);
  const names = await createLogNames(context);
  const { nameClient } = names;
  const head = html`${await renderFilter(request, asked, days, nameClient)}
${isFirst && asked.grant === undefined ? renderSummary(shown, now_ms, nameClient) : ""}
${isFirst ? renderConversations(agents, nameClient, found.length > ROWS) : ""}`;
  const rows = fitRows(newest, BODY_BYTES - Buffer.byteLength(String(head)), names);
  const more =
    found.length > rows.length
      ? withQuery("/console/activity", { ...asked, before: rows.at(-1)?.audit_id })
      : undefined;
  const body = html`<p class="lead">Every read of your data, every sign-in, and every grant and token that was created or revoked, newest first.</p>
${head}
${rows.length === 0 ? renderEmpty(filter.except_client_ids !== undefined) : html`<h2>Everything, newest first</h2><ol class="rows log">${groupByRequest(rows).map((each) => renderRequest(each, names))}</ol>`}
<p class="pages">${more === undefined ? html`<span></span>` : html`<a rel="next" href="${more}">Older</a>`}
<span>Export: <a href="${file("csv")}" download>CSV</a> <a href="${file("ndjson")}" download>NDJSON</a></span></p>`;
  return { title: "Activity", body };
};

/** The rows of the first requests, as many as the page has room for. */
function fitRows(rows: readonly StoredAuditEntry[], room_bytes: number, names: LogNames): StoredAuditEntry[] {
  let left_bytes = Math.max(LEAST_LOG_BYTES, room_bytes);
  const requests = groupByRequest(rows);
  const end = requests.findIndex((each, at) => {
    left_bytes -= Buffer.byteLength(String(renderRequest(each, names)));
    return left_bytes < 0 && at > 0;
  });
  return requests.slice(0, end < 0 ? SHOWN_REQUESTS : Math.min(end, SHOWN_REQUESTS)).flat();
}

function renderEmpty(isAgents: boolean): Html {
  return isAgents
    ? html`<div class="card empty"><p>No agent has read anything yet.</p><p><a href="/console/connect">Connect an agent</a>, or <a href="${withQuery("/console/activity", { who: "all" })}">show your own activity</a>.</p></div>`
    : html`<p>There is no such activity.</p>`;
}
