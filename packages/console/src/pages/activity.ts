import { formatRecordPage, parseTimeMs } from "@rungs/contract";
import { formatRecordId } from "@rungs/evidence";
import { describeEvent, listAudit, listGrants } from "@rungs/server";
import type { AuditFilter, StoredAuditEntry } from "@rungs/store";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Show } from "../request/route.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { formatCount, formatNumber, formatSize, showTime } from "../ui/words.ts";

const ROWS = 50;
/** What was done, in words; another operation goes by its own name. */
const DONE: Readonly<Record<string, string>> = {
  search: "searched",
  fetch: "read",
  read_record_field: "read a part of",
  query_records: "listed",
  list_records: "listed",
  aggregate: "counted",
  schema: "asked what there is in",
  read_blob: "downloaded from",
  export: "exported",
};

/** Every read: who, what, which part of it, and when (R55); and every change of who may read. */
export const showActivity: Show = async (request) => {
  const { context, query } = request;
  const before_audit_id = Number(query("before")) || undefined;
  const found = await listAudit(context, { ...readFilter(request), before_audit_id, limit: ROWS + 1 });
  const rows = found.slice(0, ROWS);
  const asked = { client: query("client"), grant: query("grant"), since: query("since") };
  const more =
    found.length > ROWS
      ? withQuery("/console/activity", { ...asked, before: rows.at(-1)?.audit_id })
      : undefined;
  const file = (format: string) => withQuery("/console/activity/export", { ...asked, format });
  const body = html`<p class="lead">Every read of your data, every sign-in, and every grant and token that was made or ended, newest first.
What you do is here too, as “owner” or, on these pages, “console”.</p>
${renderFilter(asked, await listClients(request))}
${rows.length === 0 ? html`<p>There is nothing of the kind.</p>` : html`<ol class="rows log">${groupByRequest(rows).map(renderRequest)}</ol>`}
<p class="pages">${more === undefined ? html`<span></span>` : html`<a rel="next" href="${more}">Older</a>`}
<span>Export: <a href="${file("csv")}" download>CSV</a> <a href="${file("ndjson")}" download>NDJSON</a></span></p>`;
  return { title: "Activity", body };
};

/** Which reads an address asks for. */
export function readFilter({ query }: OwnerRequest): Omit<AuditFilter, "limit"> {
  const since_ms = parseTimeMs(`${query("since") ?? ""}T00:00:00Z`);
  return {
    client_id: query("client"),
    grant_id: query("grant"),
    since: since_ms === undefined ? undefined : new Date(since_ms).toISOString(),
  };
}

async function listClients({ context }: OwnerRequest): Promise<string[]> {
  const clients = (await listGrants(context)).map(({ grant }) => grant.client.client_id);
  return [...new Set([...clients, "owner", "console"])];
}

type Asked = Readonly<Record<"client" | "grant" | "since", string | undefined>>;

function renderFilter({ client, grant, since }: Asked, clients: readonly string[]): Html {
  return html`<form action="/console/activity" class="find">
<label>Client <input name="client" value="${client ?? ""}" list="clients"></label>
<datalist id="clients">${clients.map((each) => html`<option value="${each}"></option>`)}</datalist>
<label>Grant <input name="grant" value="${grant ?? ""}" spellcheck="false"></label>
<label>From <input name="since" type="date" value="${since ?? ""}"></label>
<button>Show</button>${(client ?? grant ?? since) ? html` <a href="/console/activity">Show all</a>` : ""}</form>`;
}

/** What one request read stands together. */
function groupByRequest(rows: readonly StoredAuditEntry[]): StoredAuditEntry[][] {
  return [...Map.groupBy(rows, ({ request_id }) => request_id).values()];
}

/** What happened to the owner's control, with the grant that it happened to. */
function renderEvent({ at, client_id, status, grant_id }: StoredAuditEntry, words: string): Html {
  const link = (id: string) =>
    html` <a href="${withQuery("/console/activity", { grant: id })}"><code>${id}</code></a>`;
  return html`<li${when(status >= 400, () => html` class="refused"`)}>
<div><strong dir="auto">${client_id}</strong> ${words}${when(grant_id, link)}</div>
<span class="small">${showTime(at)}</span></li>`;
}

/** A request that read one thing is a line; one that read many has them under it, each with its place. */
function renderRequest(rows: StoredAuditEntry[]): Html {
  const { at, client_id, operation, status } = rows[0]!;
  const event = describeEvent(operation);
  if (event !== undefined) return renderEvent(rows[0]!, event);
  const whole = rows.find(({ record_id }) => record_id === undefined) ?? rows[0]!;
  const places = rows.filter((row) => row !== whole);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const facts = [
    ...(whole.records === undefined ? [] : [formatCount(whole.records, "record")]),
    ...(bytes === 0 ? [] : [formatSize(bytes)]),
    ...(status < 400 ? [] : [`status ${status}`]),
  ];
  const is_refused = status >= 400;
  const done = is_refused ? `was refused ${operation}` : (DONE[operation] ?? operation);
  return html`<li${when(is_refused, () => html` class="refused"`)}>
<div><strong dir="auto">${client_id}</strong> ${done} ${renderWhat(whole)}
${when(places.length > 0, () => renderPlaces(places))}</div>
<span class="small">${showTime(at)}${facts.length === 0 ? "" : ` · ${facts.join(" · ")}`}</span></li>`;
}

function renderPlaces(rows: readonly StoredAuditEntry[]): Html {
  return html`<details><summary>${formatCount(rows.length, "place")} that it showed</summary>
<ul>${rows.map((row) => html`<li>${renderWhat(row)}</li>`)}</ul></details>`;
}

function renderWhat({
  connection_id,
  stream,
  record_id,
  field,
  range_start,
  range_end,
}: StoredAuditEntry): Html {
  const range =
    range_start === undefined
      ? ""
      : ` ${formatNumber(range_start)}–${formatNumber(range_end ?? range_start)}`;
  return html`${renderPlace(connection_id, stream, record_id)}${field === undefined ? "" : html` <code>${field}</code>`}${range}`;
}

function renderPlace(
  connection_id: string | undefined,
  stream: string | undefined,
  record_id: string | undefined,
): Html {
  if (connection_id !== undefined && stream !== undefined && record_id !== undefined) {
    const ref = { connection_id, stream, record_id };
    return html`<a href="${formatRecordPage(ref)}"><code>${formatRecordId(ref)}</code></a>`;
  }
  if (connection_id === undefined && stream === undefined && record_id === undefined) return html`everything`;
  return html`<code>${connection_id ?? "*"}/${stream ?? "*"}${record_id === undefined ? "" : `:${record_id}`}</code>`;
}
