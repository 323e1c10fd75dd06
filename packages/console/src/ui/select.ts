import { type Html, html } from "./html.ts";

/** The options of a list of choices: none in particular first, then each value with its name. */
export function renderOptions(
  none: string,
  options: readonly (readonly [value: string, name: string])[],
  chosen: string | undefined,
): Html[] {
  return [["", none] as const, ...options].map(
    ([value, name]) =>
      html`<option value="${value}"${value === (chosen ?? "") ? html` selected` : ""}>${name}</option>`,
  );
}
