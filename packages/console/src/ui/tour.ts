/** The first steps on the sample data: three things to try, until the owner hides them. */
import type { SourceSummary } from "../figures/sources.ts";
import { type Html, html } from "./html.ts";
import { withQuery } from "./links.ts";

const SAMPLE_SOURCE = "urn:rungs:connector:demo-";

/** Renders the tour if all data is the sample data. */
export function renderTour(sources: readonly SourceSummary[]): Html | string {
  if (!sources.every(({ source_id }) => source_id.startsWith(SAMPLE_SOURCE))) return "";
  return html`<section class="card tour" data-hide="tour" aria-labelledby="tour"><h2 id="tour">Three things to try on this sample data</h2><ol>
<li><a href="${withQuery("/console/search", { q: '"blue pot"' })}">Search for “blue pot”</a><span class="small">An agent gets the same evidence: the words, and where they are.</span></li>
<li><a href="/console/connect">Connect your agent</a><span class="small">It asks for access, and a page shows you what it would read.</span></li>
<li><a href="/console/activity">See what it read</a><span class="small">Every search and every range of every field, in order. End a grant whenever you like.</span></li></ol></section>`;
}
