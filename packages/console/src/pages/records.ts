/** The records of a stream: narrowed, sorted, a page at a time. */
import type { OwnerRequest } from "../request/console-request.ts";
import type { Show } from "../request/route.ts";
import { renderFilters } from "../ui/filters.ts";
import { renderHiddenFields } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { type Option, renderOptions } from "../ui/options.ts";
import { readPlace, renderPager } from "../ui/pager.ts";
import { renderRows } from "../ui/record/row.ts";
import { formatCount, renderDays, shorten } from "../ui/words.ts";

const RECORDS = 25;
/** Counting persons reads every record: only for small streams. */
const COUNTED_RECORDS = 20_000;
const PERSONS = 40;
/** A page has no room for forty very long names. */
const PERSONS_CHARS = 2_000;
const ASKED = ["person", "since", "until", "sort"] as const;

type Asked = Readonly<Record<(typeof ASKED)[number], string | undefined>>;
type StreamSchema = Awaited<ReturnType<typeof readStreamSchema>>;

/** A stream's records, newest first unless asked otherwise. */
export const showRecords: Show = async (request) => {
  const { client, param, query } = request;
  const [connection_id, stream] = [param("connection_id"), param("stream")];
  const asked = Object.fromEntries(ASKED.map((name) => [name, query(name)])) as Asked;
  const schema = await readStreamSchema(request, connection_id, stream);
  const place = readPlace(query);
  const sort = SORTS.find(([value]) => value === asked.sort)?.[0];
  const page = await client.call("query_records", {
    connection_id,
    stream,
    view: "preview",
    limit: RECORDS,
    filter: writeFilters(asked, schema),
    order: sort === "oldest" ? "asc" : "desc",
    cursor: place.cursor,
  });
  const path = withQuery(`/console/streams/${connection_id}/${stream}`, asked);
  const isNarrowed = Boolean(asked.person ?? asked.since ?? asked.until);
  const body = html`<p class="small crumbs"><a href="/console">Data</a> › ${schema?.display_name ?? connection_id}</p>
<p class="lead">${describe(schema)}</p>
${renderSearch(connection_id, stream, schema)}
${renderForm(request, asked, await listPersons(request, schema), schema)}
${page.data.length === 0 ? renderEmpty(isNarrowed, connection_id, stream) : html`<ol class="rows">${renderRows(page.data)}</ol>`}
${renderPager(path, place, page.next_cursor)}
<p class="small page-foot"><code class="id">${connection_id}/${stream}</code> ·
<a href="${withQuery("/console/delete", { what: `${connection_id}/${stream}` })}">Delete all…</a></p>`;
  return { title: schema?.label ?? stream, body };
};

const SORTS: readonly Option[] = [
  ["", "Newest first"],
  ["oldest", "Oldest first"],
];

async function readStreamSchema({ client }: OwnerRequest, connection_id: string, stream: string) {
  const { streams } = await client.call("schema", { connection_id, stream });
  return streams[0];
}

function describe(schema: StreamSchema): Html {
  if (!schema) return html``;
  const { record_count, time_range } = schema;
  const times = when(time_range, ({ first, last }) => html`, ${renderDays(first, last)}`);
  return html`${formatCount(record_count, "record")}${times}`;
}

function writeFilters({ person, since, until }: Asked, schema: StreamSchema): string[] | undefined {
  const { time_field } = schema ?? {};
  const actor = findActor(schema);
  const filters = [
    ...(person !== undefined && actor !== undefined ? [`${actor}=${person}`] : []),
    ...(since !== undefined && time_field !== undefined ? [`${time_field}>=${since}`] : []),
    ...(until !== undefined && time_field !== undefined ? [`${time_field}<${until}`] : []),
  ];
  return filters.length === 0 ? undefined : filters;
}

/** The field that says who wrote or did it. */
function findActor(schema: StreamSchema): string | undefined {
  return schema?.fields.find(
    ({ role, filterable, aggregatable }) => role === "actor" && filterable && aggregatable,
  )?.name;
}

async function listPersons({ client }: OwnerRequest, schema: StreamSchema): Promise<Option[] | undefined> {
  const group_by = findActor(schema);
  if (!schema || group_by === undefined || schema.record_count > COUNTED_RECORDS) return undefined;
  const { connection_id, stream } = schema;
  const { groups } = await client.call("aggregate", {
    connection_id,
    stream,
    metric: "count",
    group_by,
    limit: PERSONS,
  });
  return groups
    .filter(({ group }) => typeof group === "string" && group !== "")
    .sort((a, b) => b.record_count - a.record_count)
    .slice(0, Math.floor(PERSONS_CHARS / Math.max(1, ...groups.map(({ group }) => String(group).length))))
    .map(
      ({ group, record_count }) => [String(group), `${shorten(String(group))} (${record_count})`] as const,
    );
}

/** The way to one of many records, above all where they have no times to narrow them by. */
function renderSearch(connection_id: string, stream: string, schema: StreamSchema): Html | string {
  if (!schema?.fields.some(({ searchable }) => searchable) || schema.record_count <= RECORDS) return "";
  return html`<form action="/console/search" class="find" role="search">${renderHiddenFields({ connection_id, stream })}
<label class="hidden" for="q">Search in these records</label><input id="q" name="q" type="search" placeholder="Search in these records" required> <button>Search</button></form>`;
}

function renderForm(
  { param }: OwnerRequest,
  { person, since, until, sort }: Asked,
  persons: readonly Option[] | undefined,
  schema: StreamSchema,
): Html | string {
  const isTimed = schema?.time_field !== undefined;
  if (!isTimed && persons === undefined) return "";
  return html`<form class="find" action="/console/streams/${param("connection_id")}/${param("stream")}">
${renderFilters(
  html`${when(persons && persons.length > 1 ? persons : undefined, (found) => html`<label>Person <select name="person">${renderOptions([["", "Everyone"], ...found], person)}</select></label>`)}
${when(
  isTimed,
  () => html`<label>From <input name="since" type="date" value="${since ?? ""}"></label>
<label>Before <input name="until" type="date" value="${until ?? ""}"></label>
<label>Order <select name="sort">${renderOptions(SORTS, sort)}</select></label>`,
)}<button>Show</button>`,
  person ?? since ?? until ?? sort,
)}</form>`;
}

function renderEmpty(isNarrowed: boolean, connection_id: string, stream: string): Html {
  return isNarrowed
    ? html`<p>No record fits. <a href="/console/streams/${connection_id}/${stream}">Show all</a></p>`
    : html`<p>There are no records. <a href="/console/import">Import some</a></p>`;
}
