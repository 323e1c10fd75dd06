/** Counts beside the hits of a search, each a link that narrows it (R68). */
import type { SearchFacets } from "@rungs/evidence";
import type { ConnectionSummary } from "@rungs/server";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { formatNumber } from "../ui/words.ts";

/** What the page of a search takes. */
export const ASKED = ["q", "connection_id", "stream", "since", "until", "filter", "order", "folded"] as const;

/** What was asked for. */
export type AskedSearch = Readonly<Record<(typeof ASKED)[number], string | undefined>>;

/** A value to narrow a search to; `narrowed` is the search with it. */
interface Choice {
  readonly label: string;
  readonly count: number;
  readonly narrowed: AskedSearch;
}

/** Renders the counts by source, month and person, and what takes a chosen one back. */
export function renderFacetLinks(
  { sources, months, people, is_complete }: SearchFacets,
  asked: AskedSearch,
  connections: readonly ConnectionSummary[],
): Html {
  const nameOf = (id: string) => connections.find((one) => one.connection_id === id)?.display_name ?? id;
  const groups: Readonly<Record<string, readonly Choice[]>> = {
    Source: sources.map(({ connection_id, stream, count }) => ({
      label: `${nameOf(connection_id)} · ${stream}`,
      count,
      narrowed: { ...asked, connection_id, stream },
    })),
    Month: months.map(({ month, count }) => ({
      label: month,
      count,
      narrowed: { ...asked, since: `${month}-01`, until: startOfNext(month) },
    })),
    Person: people.map(({ field, value, count }) => ({
      label: value,
      count,
      narrowed: { ...asked, filter: `${field}=${value}` },
    })),
  };
  const shown = Object.entries(groups).filter(([, choices]) => choices.length > 1);
  return html`${renderChosen(asked, nameOf)}${
    shown.length === 0
      ? ""
      : html`<nav class="facets" aria-label="Narrow the search">${shown.map(renderGroup)}
${is_complete ? "" : html`<p class="small">Months and persons are counted of the last written records only: too many match.</p>`}</nav>`
  }`;
}

function renderGroup([name, choices]: readonly [string, readonly Choice[]]): Html {
  return html`<details><summary>${name}</summary><ul>${choices.map(
    ({ label, count, narrowed }) =>
      html`<li><a dir="auto" href="${withQuery("/console/search", narrowed)}">${label}</a> <span class="small">${formatNumber(count)}</span></li>`,
  )}</ul></details>`;
}

/** The narrowing that is on, each with the search without it. */
function renderChosen(asked: AskedSearch, nameOf: (id: string) => string): Html {
  const { connection_id, stream, since, until, filter } = asked;
  const chosen: { label: string; without: AskedSearch }[] = [];
  const source = [connection_id && nameOf(connection_id), stream].filter(Boolean).join(" · ");
  if (source)
    chosen.push({ label: source, without: { ...asked, connection_id: undefined, stream: undefined } });
  if (since || until)
    chosen.push({
      label: [since, until].join(" – "),
      without: { ...asked, since: undefined, until: undefined },
    });
  if (filter) chosen.push({ label: filter, without: { ...asked, filter: undefined } });
  return html`${when(
    chosen.length > 0,
    () =>
      html`<ul class="chosen" aria-label="Narrowed to">${chosen.map(
        ({ label, without }) =>
          html`<li><span dir="auto">${label}</span> <a href="${withQuery("/console/search", without)}">Remove<span class="hidden"> ${label}</span></a></li>`,
      )}</ul>`,
  )}`;
}

function startOfNext(month: string): string {
  const start = new Date(`${month}-01T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() + 1);
  return start.toISOString().slice(0, 10);
}
