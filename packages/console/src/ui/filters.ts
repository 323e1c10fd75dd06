/** The filters of a list: visible if there is room, collapsed on a phone. */
import { type Html, html } from "./html.ts";

/** Renders the filters; expanded while one of them is set. */
export function renderFilters(choices: Html, chosen: string | undefined): Html {
  return html`<details class="filters"${chosen === undefined ? "" : html` open`}><summary>Narrow it</summary><div>${choices}</div></details>`;
}
