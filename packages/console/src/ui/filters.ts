/** The choices of a form that narrows a list: in sight where there is room, behind a fold on a phone. */
import { type Html, html } from "./html.ts";

/** Renders the choices; the fold is open while one of them is made. */
export function renderFilters(choices: Html, chosen: string | undefined): Html {
  return html`<details class="filters"${chosen === undefined ? "" : html` open`}><summary>Narrow it</summary><div>${choices}</div></details>`;
}
