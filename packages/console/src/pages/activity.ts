import { formatRecordPage, parseTimeMs } from "@rungs/contract";
import { formatRecordId } from "@rungs/evidence";
import { describeEvent, listAudit, listGrants } from "@rungs/server";
import type { AuditFilter, StoredAuditEntry } from "@rungs/store";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Show } from "../request/route.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { formatCount, formatNumber, formatSize, renderTime } from "../ui/words.ts";

const ROWS = 50;
/** Verbs for operations; any other operation is shown by name. */
const DONE: Readonly<Record<string, string>> = {
  search: "searched",
  fetch: "read",
  read_record_field: "read a part of",
  read_thread: "read around",
  query_records: "listed",
  list_records: "listed",
  aggregate: "counted",
  schema: "asked what there is in",
  read_blob: "downloaded from",
  export: "exported",
};

/** The audit log: who read which part of what and when (R55), and every change of who may read. */
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
  const body = html`<p class="lead">Every read of your data, every sign-in, and every grant and token that was created or revoked, newest first.
Your own actions are listed too, as “owner” or, on these pages, “console”.</p>
${renderFilter(asked, await listClients(request))}
${rows.length === 0 ? html`<p>There is no such activity.</p>` : html`<ol class="rows log">${groupByRequest(rows).map(renderRequest)}</ol>`}
<p class="pages">${more === undefined ? html`<span></span>` : html`<a rel="next" href="${more}">Older</a>`}
<span>Export: <a href="${file("csv")}" download>CSV</a> <a href="${file("ndjson")}" download>NDJSON</a></span></p>`;
  return { title: "Activity", body };
};

/** Parses the filter from the query. */
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

/** Groups the rows of one request. */
function groupByRequest(rows: readonly StoredAuditEntry[]): StoredAuditEntry[][] {
  return [...Map.groupBy(rows, ({ request_id }) => request_id).values()];
}

/** Renders a change of grants, tokens or sessions, with a link to its grant. */
function renderEvent({ at, client_id, status, grant_id }: StoredAuditEntry, words: string): Html {
  const link = (id: string) =>
    html` <a href="${withQuery("/console/activity", { grant: id })}"><code>${id}</code></a>`;
  return html`<li${when(status >= 400, () => html` class="refused"`)}>
<div><strong dir="auto">${client_id}</strong> ${words}${when(grant_id, link)}</div>
<span class="small">${renderTime(at)}</span></li>`;
}

/** Renders one request: a line, and below it the places that it read, if there are several. */
function renderRequest(rows: StoredAuditEntry[]): Html {
  const { at, client_id, operation, status } = rows[0]!;
  const event = describeEvent(operation);
  if (event !== undefined) return renderEvent(rows[0]!, event);
  const streams = rows.filter(({ record_id }) => record_id === undefined);
  const whole = summarize(streams) ?? rows[0]!;
  const places = streams.length > 1 ? rows : rows.filter((row) => row !== whole);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const { progress, requests } = rows[0]!;
  const facts = [
    ...(whole.records === undefined ? [] : [formatCount(whole.records, "record")]),
    ...(bytes === 0 ? [] : [formatSize(bytes)]),
    ...(status < 400 ? [] : [`status ${status}`]),
    ...(requests === undefined ? [] : [formatCount(requests, "more such request")]),
    ...(progress === "begun" ? ["not finished: still open, or the program was stopped"] : []),
    ...(progress === "broken" ? ["broken off"] : []),
  ];
  const is_refused = status >= 400;
  const done = is_refused ? `was refused ${operation}` : (DONE[operation] ?? operation);
  return html`<li${when(is_refused, () => html` class="refused"`)}>
<div><strong dir="auto">${client_id}</strong> ${done} ${renderTarget(whole)}
${when(places.length > 0, () => renderPlaces(places))}</div>
<span class="small">${renderTime(at)}${facts.length === 0 ? "" : ` · ${facts.join(" · ")}`}</span></li>`;
}

/** One row for a request over several streams: what they have in common, and all their records. */
function summarize(rows: readonly StoredAuditEntry[]): StoredAuditEntry | undefined {
  const [first, ...others] = rows;
  // Without a stream, the rows are the same read under several grants.
  if (first?.stream === undefined || others.length === 0) return first;
  const counts = rows.flatMap(({ records }) => records ?? []);
  const shared = (name: "connection_id" | "stream") =>
    others.every((row) => row[name] === first[name]) ? first[name] : undefined;
  return {
    ...first,
    connection_id: shared("connection_id"),
    stream: shared("stream"),
    records: counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0),
  };
}

function renderPlaces(rows: readonly StoredAuditEntry[]): Html {
  return html`<details><summary>${formatCount(rows.length, "place")} that it showed</summary>
<ul>${rows.map((row) => html`<li>${renderTarget(row)}${when(row.record_id === undefined && row.records !== undefined, () => html` ${formatCount(row.records ?? 0, "record")}`)}</li>`)}</ul></details>`;
}

function renderTarget({
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
