/** The rows of the audit log as sentences: one for each request, with the places that it showed. */
import { formatRecordPage } from "@rungs/contract";
import { countChars, sliceChars } from "@rungs/evidence";
import { describeEvent, type OwnerContext } from "@rungs/server";
import type { StoredAuditEntry } from "@rungs/store";
import { createStreamNamer, type StreamNamer } from "../figures/sources.ts";
import { type ClientNamer, createClientNamer } from "./client-names.ts";
import { type Html, html, when } from "./html.ts";
import { withQuery } from "./links.ts";
import { formatFieldName } from "./record/fields.ts";
import { describeRequest, isDenied } from "./request-words.ts";
import { formatCount, formatNumber, formatSize, renderTime } from "./words.ts";

/** The display names of the log's clients and streams. */
export interface LogNames {
  readonly nameClient: ClientNamer;
  readonly nameStream: StreamNamer;
}

/** Creates the namers of an owner's log. */
export async function createLogNames(owner: OwnerContext): Promise<LogNames> {
  return { nameClient: await createClientNamer(owner), nameStream: await createStreamNamer(owner) };
}

/** Groups the rows of one request. */
export function groupByRequest(rows: readonly StoredAuditEntry[]): StoredAuditEntry[][] {
  return [...Map.groupBy(rows, ({ request_id }) => request_id).values()];
}

/** The rows of complete requests, if older rows follow; of a single request, its available rows. */
export function listWholeRequests(rows: readonly StoredAuditEntry[]): readonly StoredAuditEntry[] {
  const last = rows.at(-1)?.request_id;
  const whole = rows.filter(({ request_id }) => request_id !== last);
  return whole.length === 0 ? rows : whole;
}

/** Renders one request: a line, and below it the places that it read, if there are several. */
export function renderRequest(rows: StoredAuditEntry[], names: LogNames): Html {
  const { at, client_id, operation, status } = rows[0]!;
  const event = describeEvent(operation);
  if (event !== undefined) return renderEvent(rows[0]!, event, names);
  const streams = rows.filter(({ record_id }) => record_id === undefined);
  const whole = summarize(streams) ?? rows[0]!;
  const places = streams.length > 1 ? rows : rows.filter((row) => row !== whole);
  const facts = listFacts(rows, whole);
  return html`<li${when(isDenied(status), () => html` class="refused"`)}>
<div><strong dir="auto">${names.nameClient(client_id)}</strong> ${describeRequest(operation, status)} ${renderTarget([whole], names)}
${when(places.length > 0, () => renderPlaces(places, names))}</div>
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
  { nameClient, nameStream }: LogNames,
): Html {
  const link = (id: string) =>
    html` · <a href="${withQuery("/console/activity", { grant: id })}">all under it</a>`;
  return html`<li${when(isDenied(status), () => html` class="refused"`)}>
<div><strong dir="auto">${nameClient(client_id)}</strong> ${words}${when(connection_id, (id) => html` <bdi>${nameStream(id)}</bdi>`)}${when(grant_id, link)}</div>
<span class="small">${renderTime(at)}</span></li>`;
}

/** One row for a request over several streams: their common members, and all their records. */
function summarize(rows: readonly StoredAuditEntry[]): StoredAuditEntry | undefined {
  const [first, ...others] = rows;
  // Rows without a stream are the same read under several grants.
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

function renderPlaces(rows: readonly StoredAuditEntry[], names: LogNames): Html {
  const places = groupByPlace(rows);
  return html`<details><summary>${formatCount(places.length, "place")} that it showed</summary>
<ul>${places.map((each) => html`<li>${renderTarget(each, names)}${when(each[0].record_id === undefined && each[0].records, (count) => html` ${formatCount(count, "record")}`)}</li>`)}</ul></details>`;
}

/** Rows of one stream or record, at least one. */
export type PlaceRows = readonly [StoredAuditEntry, ...StoredAuditEntry[]];

/** Groups rows by what they are about, in their order. */
export function groupByPlace(rows: readonly StoredAuditEntry[]): PlaceRows[] {
  const groups = Map.groupBy(rows, ({ connection_id, stream, record_id }) =>
    JSON.stringify([connection_id, stream, record_id]),
  );
  return [...groups.values()] as [StoredAuditEntry, ...StoredAuditEntry[]][];
}

/** Renders what rows are about: a stream, a record, ranges of its fields. */
export function renderTarget(rows: PlaceRows, names: LogNames): Html {
  const fields = rows.flatMap(({ field, range_start, range_end }) => {
    if (field === undefined) return [];
    const range =
      range_start === undefined
        ? ""
        : `, characters ${formatNumber(range_start)}–${formatNumber(range_end ?? range_start)}`;
    return [`${formatFieldName(field)}${range}`];
  });
  return html`${renderPlace(rows[0], names)}${fields.length === 0 ? "" : html`: <bdi>${fields.join("; ")}</bdi>`}`;
}

/** Names contain the key: the log reads no records, and so has no titles. */
function renderPlace({ connection_id, stream, record_id }: StoredAuditEntry, { nameStream }: LogNames): Html {
  const key = when(record_id, (id) => html` <code>${shortenKey(id)}</code>`);
  if (connection_id === undefined)
    return stream === undefined ? html`everything` : html`<bdi>${stream}</bdi> of every source${key}`;
  const name = html`<bdi>${nameStream(connection_id, stream)}</bdi>${key}`;
  if (stream === undefined || record_id === undefined) return name;
  return html`<a href="${formatRecordPage({ connection_id, stream, record_id })}">${name}</a>`;
}

const [KEY_CHARS, KEY_END_CHARS] = [28, 9];

/** Both ends of a long key, which distinguish it from similar ones. */
function shortenKey(key: string): string {
  const size = countChars(key);
  if (size <= KEY_CHARS) return key;
  return `${sliceChars(key, 0, KEY_CHARS - KEY_END_CHARS - 1)}…${sliceChars(key, size - KEY_END_CHARS, size)}`;
}
