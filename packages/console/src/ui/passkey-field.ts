import { type Html, html } from "./html.ts";

/** The name of the form field that carries a browser's answer. */
export const PASSKEY_FIELD = "passkey";

/** Renders the field that the page's script fills, from the server's options; `without` is what to do without scripts. */
export function renderPasskeyField(kind: "create" | "get", options: object, without: string): Html {
  return html`<input type="hidden" name="${PASSKEY_FIELD}" autocomplete="off" data-passkey="${kind}" data-options="${JSON.stringify(options)}">
<p class="notice" role="alert"></p><noscript><p class="small">Passkeys need scripts, which this browser does not run. ${without}</p></noscript>`;
}
