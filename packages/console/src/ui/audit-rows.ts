/** The rows of the audit log as sentences: one for each request, with the places that it showed. */
import { formatRecordPage } from "@rungs/contract";
import { formatRecordId } from "@rungs/evidence";
import { describeEvent } from "@rungs/server";
import type { StoredAuditEntry } from "@rungs/store";
import type { ClientNamer } from "./client-names.ts";
import { type Html, html, when } from "./html.ts";
import { withQuery } from "./links.ts";
import { describeRequest, isDenied } from "./request-words.ts";
import { formatCount, formatNumber, formatSize, renderTime } from "./words.ts";

/** Groups the rows of one request. */
export function groupByRequest(rows: readonly StoredAuditEntry[]): StoredAuditEntry[][] {
  return [...Map.groupBy(rows, ({ request_id }) => request_id).values()];
}

/** Renders one request: a line, and below it the places that it read, if there are several. */
export function renderRequest(rows: StoredAuditEntry[], nameClient: ClientNamer): Html {
  const { at, client_id, operation, status } = rows[0]!;
  const event = describeEvent(operation);
  if (event !== undefined) return renderEvent(rows[0]!, event, nameClient);
  const streams = rows.filter(({ record_id }) => record_id === undefined);
  const whole = summarize(streams) ?? rows[0]!;
  const places = streams.length > 1 ? rows : rows.filter((row) => row !== whole);
  const facts = listFacts(rows, whole);
  return html`<li${when(isDenied(status), () => html` class="refused"`)}>
<div><strong dir="auto">${nameClient(client_id)}</strong> ${describeRequest(operation, status)} ${renderTarget(whole)}
${when(places.length > 0, () => renderPlaces(places))}</div>
<span class="small">${renderTime(at)}${facts.length === 0 ? "" : ` · ${facts.join(" · ")}`}</span></li>`;
}

function listFacts(rows: readonly StoredAuditEntry[], whole: StoredAuditEntry): string[] {
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const { progress, requests, status } = rows[0]!;
  return [
    ...(whole.records === undefined ? [] : [formatCount(whole.records, "record")]),
    ...(bytes === 0 ? [] : [formatSize(bytes)]),
    ...(status < 400 ? [] : [`status ${status}`]),
    ...(requests === undefined ? [] : [`${formatCount(requests, "such request")} in all`]),
    ...(progress === "begun" ? ["not finished: still open, or the program was stopped"] : []),
    ...(progress === "broken" ? ["broken off"] : []),
  ];
}

/** Renders a change of grants, tokens or sessions, with a link to its grant. */
function renderEvent(
  { at, client_id, status, grant_id, connection_id }: StoredAuditEntry,
  words: string,
  nameClient: ClientNamer,
): Html {
  const link = (id: string) =>
    html` <a href="${withQuery("/console/activity", { grant: id })}"><code>${id}</code></a>`;
  return html`<li${when(isDenied(status), () => html` class="refused"`)}>
<div><strong dir="auto">${nameClient(client_id)}</strong> ${words}${when(connection_id, (id) => html` <code>${id}</code>`)}${when(grant_id, link)}</div>
<span class="small">${renderTime(at)}</span></li>`;
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

/** Renders what a row is about: a stream, a record, a range of a field. */
export function renderTarget(row: StoredAuditEntry): Html {
  const { connection_id, stream, record_id, field, range_start, range_end } = row;
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
