import { type Html, html } from "./html.ts";

/** A choice of a select element. */
export type Option = readonly [value: string, name: string];

/** Renders the options of a select element. */
export function renderOptions(options: readonly Option[], chosen: string | undefined): Html[] {
  return options.map(
    ([value, name]) =>
      html`<option value="${value}"${value === (chosen ?? "") ? html` selected` : ""}>${name}</option>`,
  );
}
