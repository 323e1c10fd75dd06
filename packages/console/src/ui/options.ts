import { type Html, html } from "./html.ts";
import { formatNumber, shorten } from "./words.ts";

/** A choice of a select element. */
export type Option = readonly [value: string, name: string];

/** A longer list is too long to choose from, and makes the page large. */
const MOST = 20;

/** Renders the options of a select element: the chosen one is always among them. */
export function renderOptions(options: readonly Option[], chosen: string | undefined): Html[] {
  const shown = options.filter(([value], at) => at < MOST || value === chosen);
  const rest = options.length - shown.length;
  return [
    ...shown.map(
      ([value, name]) =>
        html`<option${value === name ? "" : html` value="${value}"`}${value === (chosen ?? "") ? html` selected` : ""}>${shorten(name)}</option>`,
    ),
    ...(rest > 0 ? [html`<option disabled>and ${formatNumber(rest)} more</option>`] : []),
  ];
}
