/** The receipt of one conversation: what the agent searched, and which ranges of which fields it read, in order. */
import { ApiError } from "@rungs/contract";
import { listAudit } from "@rungs/server";
import type { StoredAuditEntry } from "@rungs/store";
import type { Show } from "../request/route.ts";
import {
  createLogNames,
  groupByPlace,
  groupByRequest,
  type LogNames,
  type PlaceRows,
  renderTarget,
} from "../ui/audit-rows.ts";
import type { ClientNamer } from "../ui/client-names.ts";
import { type Conversation, findConversations } from "../ui/conversations.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { describeRequest, isDenied } from "../ui/request-words.ts";
import { renderRowPage } from "../ui/row-pages.ts";
import { formatCount, formatSize, renderTime, renderTimes } from "../ui/words.ts";

const ROWS = 1000;
const CONVERSATIONS = 5;

/** Renders the list of conversations, each with a link to its receipt; `is_cut` says that the log has older rows. */
export function renderConversations(
  rows: readonly StoredAuditEntry[],
  nameClient: ClientNamer,
  is_cut: boolean,
): Html | string {
  const oldest = is_cut ? rows.at(-1)?.audit_id : undefined;
  const found = findConversations(rows).slice(0, CONVERSATIONS);
  if (found.length === 0) return "";
  return html`<section><h2>Conversations</h2><ol class="rows">${found.map(
    (
      each,
    ) => html`<li data-item><div><a href="${linkReceipt(each)}"><bdi>${nameClient(each.client_id)}</bdi>, ${formatCount(each.requests, "request")}${each.from.audit_id === oldest ? " or more" : ""}</a></div>
<span class="small">${renderTime(each.from.at)} · ${listFacts(each).slice(1).join(" · ")}</span></li>`,
  )}</ol></section>`;
}

/** The receipt of the conversation that ended with a row. */
export const showReceipt: Show = async ({ context, query }) => {
  const last = Number(query("last"));
  const client_id = query("client");
  if (!Number.isSafeInteger(last) || client_id === undefined)
    throw new ApiError("invalid_request", {
      param: "last",
      message: "No conversation was chosen.",
      next: "Choose one under Activity.",
    });
  const filter = { client_id, grant_id: query("grant"), before_audit_id: last + 1, limit: ROWS };
  const rows = await listAudit(context, filter);
  const [conversation] = findConversations(rows);
  if (!conversation)
    throw new ApiError("not_found", {
      message: "There is no such conversation.",
      next: "Look under Activity.",
    });
  const own = rows.filter(({ audit_id }) => audit_id >= conversation.from.audit_id).reverse();
  const isCut = rows.length === ROWS && own.length === ROWS;
  const names = await createLogNames(context);
  const path = withQuery("/console/activity/receipt", { client: client_id, grant: query("grant"), last });
  const steps = await renderRowPage({ query, path, name: "from" }, groupByRequest(own), (rows) =>
    renderStep(rows, names),
  );
  const body = html`<p class="lead">${renderTimes(conversation.from.at, conversation.to.at)} · ${listFacts(conversation).join(" · ")}</p>
${when(isCut, () => html`<p class="notice">Only the last ${formatCount(ROWS, "row")} of this conversation are shown.</p>`)}
<p class="small">The words of searches are not kept: a receipt says where an agent searched, not for what.</p>
<ol class="receipt">${steps.rows}</ol>${steps.pages}
<p class="small page-foot"><a href="${withQuery("/console/activity", { client: conversation.client_id })}">All activity of this client</a>
${when(conversation.grant_id, (id) => html` · <a href="/console/grants/${id}/revoke">End its grant…</a>`)}</p>`;
  return { title: `What ${names.nameClient(conversation.client_id)} read`, body };
};

/** The action and its object in one sentence; below it, the places that it showed. */
function renderStep(rows: readonly StoredAuditEntry[], names: LogNames): Html {
  const { operation, status, at } = rows[0]!;
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const all = groupByPlace(rows);
  const whole = all.length === 1 || rows[0]!.record_id === undefined ? all[0] : undefined;
  const places = all.filter((each) => each !== whole);
  const show = (each: PlaceRows) => {
    const count = each.reduce((sum, { records = 0 }) => sum + records, 0);
    return html`${renderTarget(each, names)}${count === 0 ? "" : ` · ${formatCount(count, "record")}`}`;
  };
  return html`<li${when(isDenied(status), () => html` class="refused"`)}><span>${describeRequest(operation, status)} ${when(whole, show)}</span>
<span class="small">${renderTime(at)}${bytes === 0 ? "" : ` · ${formatSize(bytes)}`}</span>
${when(places.length > 0, () => html`<ul>${places.map((each) => html`<li>${show(each)}</li>`)}</ul>`)}</li>`;
}

function linkReceipt({ client_id, grant_id, to }: Conversation): string {
  return withQuery("/console/activity/receipt", { client: client_id, grant: grant_id, last: to.audit_id });
}

function listFacts({ requests, searches, refused, bytes }: Conversation): string[] {
  return [
    formatCount(requests, "request"),
    ...(searches === 0 ? [] : [formatCount(searches, "search", "searches")]),
    formatSize(bytes),
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ];
}
