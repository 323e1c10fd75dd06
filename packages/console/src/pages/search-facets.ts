/** Counts beside the hits of a search, each a link that narrows it (R68). */
import { type SearchFacets, sliceChars } from "@rungs/evidence";
import type { SourceNames } from "@rungs/server";
import { fitBytes, type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { splitPerson } from "../ui/record/person.ts";
import { formatNumber, shorten } from "../ui/words.ts";

/** The parameters of the search page. */
export const ASKED = ["q", "connection_id", "stream", "since", "until", "filter", "order", "folded"] as const;

/** The requested search. */
export type AskedSearch = Readonly<Record<(typeof ASKED)[number], string | undefined>>;

/** A value to narrow a search to; `narrowed` is the search with it. */
interface Choice {
  readonly label: string;
  readonly count: number;
  readonly narrowed: AskedSearch;
}

/** The others are collapsed, as many as fit the page: the form has them all. */
const [SHOWN_CHOICES, MOST_CHOICES] = [5, 12];
const GROUP_BYTES = 2_000;
/** More months than these are counted by year. */
const MOST_MONTHS = 12;

/** The labels of the streams, by name; streams of several sources that are labelled differently go by their common name. */
export function nameStreams(connections: readonly SourceNames[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { stream, label } of connections.flatMap((each) => each.streams)) {
    const known = names.get(stream);
    names.set(stream, known === undefined || known === label ? label : capitalize(stream));
  }
  return names;
}

function capitalize(name: string): string {
  return `${sliceChars(name, 0, 1).toUpperCase()}${sliceChars(name, 1)}`;
}

/** Renders the counts by source, kind, month and person, and links that undo a choice. */
export function renderFacetLinks(
  { sources, months, people, is_complete }: SearchFacets,
  asked: AskedSearch,
  connections: readonly SourceNames[],
  now_ms: number,
): Html {
  const nameOf = (id: string) => connections.find((one) => one.connection_id === id)?.display_name ?? id;
  const kinds = nameStreams(connections);
  const kindOf = (stream: string) => kinds.get(stream) ?? stream;
  const countBy = (key: "connection_id" | "stream") =>
    [...Map.groupBy(sources, (each) => each[key])]
      .map(([value, group]) => ({ value, count: group.reduce((sum, each) => sum + each.count, 0) }))
      .sort((a, b) => b.count - a.count);
  const groups: Readonly<Record<string, readonly Choice[]>> = {
    Source: countBy("connection_id").map(({ value, count }) => ({
      label: nameOf(value),
      count,
      narrowed: { ...asked, connection_id: value },
    })),
    Kind: countBy("stream").map(({ value, count }) => ({
      label: kindOf(value),
      count,
      narrowed: { ...asked, stream: value },
    })),
    Person: people.map(({ field, value, count }) => ({
      label: namePerson(value, people),
      count,
      narrowed: { ...asked, filter: `${field}=${value}` },
    })),
    ...listTimes(putFutureLast(months, now_ms), asked),
  };
  const shown = Object.entries(groups).filter(([, choices]) => choices.length > 1);
  return html`${renderChosen(asked, nameOf, kindOf)}${
    shown.length === 0
      ? ""
      : html`<nav class="facets" aria-label="Narrow the search">${shown.map(renderGroup)}
${is_complete ? "" : html`<p class="small">Months and persons are counted of the last written records only: too many match.</p>`}</nav>`
  }`;
}

/** People go by name, unless two of them have the same. */
function namePerson(value: string, people: SearchFacets["people"]): string {
  const { name } = splitPerson(value);
  return people.filter((each) => splitPerson(each.value).name === name).length > 1 ? value : name;
}

/** A mail dated 3609 is not what a person looks for first. */
function putFutureLast(months: SearchFacets["months"], now_ms: number): SearchFacets["months"] {
  const next_year = new Date(now_ms + 365 * 86_400_000).toISOString().slice(0, 7);
  return months.toSorted((a, b) => Number(a.month > next_year) - Number(b.month > next_year));
}

/** The choices by month, or by year where the months are many. */
function listTimes(months: SearchFacets["months"], asked: AskedSearch): Record<string, readonly Choice[]> {
  if (months.length <= MOST_MONTHS)
    return {
      Month: months.map(({ month, count }) => ({
        label: month,
        count,
        narrowed: { ...asked, since: `${month}-01`, until: startOfNext(month) },
      })),
    };
  const years = Map.groupBy(months, ({ month }) => month.slice(0, -"-01".length));
  return {
    Year: [...years].map(([year, own]) => ({
      label: year,
      count: own.reduce((sum, { count }) => sum + count, 0),
      narrowed: { ...asked, since: `${year}-01-01`, until: startOfNext(`${year}-12`) },
    })),
  };
}

function renderGroup([name, choices]: readonly [string, readonly Choice[]]): Html {
  // Collapsing a single value takes more room than showing it.
  const shown = choices.length === SHOWN_CHOICES + 1 ? choices.length : SHOWN_CHOICES;
  const chips = fitBytes(choices.slice(0, MOST_CHOICES).map(renderChoice), GROUP_BYTES);
  const rest = chips.slice(shown);
  return html`<div class="facet"><span class="small">${name}</span>${chips.slice(0, shown)}${when(
    rest.length > 0,
    () =>
      html`<details><summary>${formatNumber(rest.length)} more<span class="hidden"> by ${name.toLowerCase()}</span></summary>${rest}</details>`,
  )}</div>`;
}

function renderChoice({ label, count, narrowed }: Choice): Html {
  return html`<a class="chip" href="${withQuery("/console/search", narrowed)}"><bdi>${shorten(label)}</bdi> <span class="count">${formatNumber(count)}</span></a>`;
}

/** What narrows the search now, each with the search without it. */
function renderChosen(
  asked: AskedSearch,
  nameOf: (id: string) => string,
  kindOf: (stream: string) => string,
): Html | string {
  const { connection_id, stream, since, until, filter } = asked;
  const chosen: { label: string; without: AskedSearch }[] = [];
  if (connection_id)
    chosen.push({ label: nameOf(connection_id), without: { ...asked, connection_id: undefined } });
  if (stream) chosen.push({ label: kindOf(stream), without: { ...asked, stream: undefined } });
  if (since || until)
    chosen.push({
      label: [since, until].join(" – "),
      without: { ...asked, since: undefined, until: undefined },
    });
  if (filter)
    chosen.push({
      label: splitPerson(filter.replace(/^[^=]*=/, "")).name,
      without: { ...asked, filter: undefined },
    });
  return when(
    chosen.length > 0,
    () =>
      html`<ul class="chosen" aria-label="Narrowed to">${chosen.map(
        ({ label, without }) =>
          html`<li><a class="chip on" href="${withQuery("/console/search", without)}"><bdi>${label}</bdi> <span aria-hidden="true">×</span><span class="hidden">Remove ${label}</span></a></li>`,
      )}</ul>`,
  );
}

function startOfNext(month: string): string {
  const start = new Date(`${month}-01T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() + 1);
  return start.toISOString().slice(0, 10);
}
