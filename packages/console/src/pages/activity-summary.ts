/** The activity of the last weeks as a picture: requests by day and client, and what each client got. */
import { describeEvent } from "@rungs/server";
import type { AuditDay } from "@rungs/store";
import type { ClientNamer } from "../ui/client-names.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { listPeriods, renderBars } from "../ui/plot.ts";
import { isDenied } from "../ui/request-words.ts";
import { formatNumber, formatSize } from "../ui/words.ts";

/** The days that the picture covers. */
export const SUMMARY_DAYS = 30;
/** More clients than that share the last colour. */
const SERIES = 5;
const SHOWN_CLIENTS = 8;

interface ClientSum {
  readonly client_id: string;
  readonly requests: number;
  readonly searches: number;
  readonly records: number;
  readonly bytes: number;
  readonly refused: number;
}

/** A phone has no room for the second: the picture has it. */
const COLUMNS = ["Searches", "Requests", "Records", "Read", "Refused"];

/** Renders the picture and its table; empty when nobody read anything. */
export function renderSummary(
  days: readonly AuditDay[],
  now_ms: number,
  nameClient: ClientNamer,
): Html | string {
  const reads = days.filter(({ operation }) => describeEvent(operation) === undefined);
  if (reads.length === 0) return "";
  const clients = sumByClient(reads);
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const periods = listPeriods([day(now_ms - (SUMMARY_DAYS - 1) * 86_400_000), day(now_ms)], "day");
  const shown = clients.slice(0, SERIES - 1).map(({ client_id }) => client_id);
  const seriesOf = (client_id: string) => (shown.includes(client_id) ? shown.indexOf(client_id) : SERIES - 1);
  const series = Array.from({ length: Math.min(SERIES, clients.length) }, () => periods.map(() => 0));
  for (const { day, client_id, requests } of reads) {
    const [bars, at] = [series[Math.min(seriesOf(client_id), series.length - 1)], periods.indexOf(day)];
    if (bars && at >= 0) bars[at] = (bars[at] ?? 0) + requests;
  }
  const total = clients.reduce((sum, each) => sum + each.requests, 0);
  const label = `Requests by day in the last ${SUMMARY_DAYS} days, ${formatNumber(total)} in all; the table has them by client.`;
  return html`<section class="card summary"><h2>The last ${SUMMARY_DAYS} days</h2>
<figure class="plot">${renderBars(series, label)}<figcaption><span>${periods[0]}</span><span>requests by day</span><span>${periods.at(-1)}</span></figcaption></figure>
<div class="scroll" tabindex="0" role="region" aria-label="What each client got"><table><thead><tr><th scope="col">Client</th>${COLUMNS.map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
<tbody>${clients.slice(0, SHOWN_CLIENTS).map(
    (
      each,
    ) => html`<tr><th scope="row"><span class="swatch series${Math.min(seriesOf(each.client_id), series.length - 1)}" aria-hidden="true"></span><a href="${withQuery("/console/activity", { client: each.client_id })}" dir="auto">${nameClient(each.client_id)}</a></th>
<td class="number">${formatNumber(each.searches)}</td><td class="number">${formatNumber(each.requests)}</td><td class="number">${formatNumber(each.records)}</td>
<td class="number">${formatSize(each.bytes)}</td><td class="number">${formatNumber(each.refused)}</td></tr>`,
  )}</tbody></table></div>${when(clients.length > SHOWN_CLIENTS, () => html`<p class="small">and ${formatNumber(clients.length - SHOWN_CLIENTS)} more clients: choose one above</p>`)}</section>`;
}

function sumByClient(reads: readonly AuditDay[]): ClientSum[] {
  return [...Map.groupBy(reads, ({ client_id }) => client_id)]
    .map(([client_id, rows]) => {
      const sum = (pick: (row: AuditDay) => number) => rows.reduce((total, row) => total + pick(row), 0);
      return {
        client_id,
        requests: sum(({ requests }) => requests),
        searches: sum(({ operation, requests }) => (operation === "search" ? requests : 0)),
        records: sum(({ records }) => records),
        bytes: sum(({ bytes }) => bytes),
        refused: sum(({ status, requests }) => (isDenied(status) ? requests : 0)),
      };
    })
    .sort((a, b) => b.requests - a.requests);
}
