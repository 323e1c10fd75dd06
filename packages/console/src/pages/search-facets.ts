/** Counts beside the hits of a search, each a link that narrows it (R68). */
import { type SearchFacets, sliceChars } from "@rungs/evidence";
import type { SourceNames } from "@rungs/server";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { formatNumber, shorten } from "../ui/words.ts";

/** The parameters of the search page. */
export const ASKED = ["q", "connection_id", "stream", "since", "until", "filter", "order", "folded"] as const;

/** What was asked for. */
export type AskedSearch = Readonly<Record<(typeof ASKED)[number], string | undefined>>;

/** A value to narrow a search to; `narrowed` is the search with it. */
interface Choice {
  readonly label: string;
  readonly count: number;
  readonly narrowed: AskedSearch;
}

/** The others are behind a fold. */
const SHOWN_CHOICES = 5;

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

/** Renders the counts by source, kind, month and person, and what takes a chosen one back. */
export function renderFacetLinks(
  { sources, months, people, is_complete }: SearchFacets,
  asked: AskedSearch,
  connections: readonly SourceNames[],
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
      label: value,
      count,
      narrowed: { ...asked, filter: `${field}=${value}` },
    })),
    Month: months.map(({ month, count }) => ({
      label: month,
      count,
      narrowed: { ...asked, since: `${month}-01`, until: startOfNext(month) },
    })),
  };
  const shown = Object.entries(groups).filter(([, choices]) => choices.length > 1);
  return html`${renderChosen(asked, nameOf, kindOf)}${
    shown.length === 0
      ? ""
      : html`<nav class="facets" aria-label="Narrow the search">${shown.map(renderGroup)}
${is_complete ? "" : html`<p class="small">Months and persons are counted of the last written records only: too many match.</p>`}</nav>`
  }`;
}

function renderGroup([name, choices]: readonly [string, readonly Choice[]]): Html {
  // A fold with one value takes more room than the value.
  const shown = choices.length === SHOWN_CHOICES + 1 ? choices.length : SHOWN_CHOICES;
  const rest = choices.slice(shown);
  return html`<div class="facet"><span class="small">${name}</span>${choices.slice(0, shown).map(renderChoice)}${when(
    rest.length > 0,
    () =>
      html`<details><summary>${formatNumber(rest.length)} more<span class="hidden"> by ${name.toLowerCase()}</span></summary>${rest.map(renderChoice)}</details>`,
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
  if (filter) chosen.push({ label: filter.replace(/^[^=]*=/, ""), without: { ...asked, filter: undefined } });
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
