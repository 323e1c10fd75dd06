import { FORM_TOKEN } from "../visit/form-token.ts";
import type { Visit } from "../visit/visit.ts";
import { type Html, html } from "./html.ts";

interface ButtonOptions {
  readonly look?: "main" | "quiet" | "danger" | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** The hidden field that every form needs. */
export function formToken({ form_token }: Visit): Html {
  return html`<input type="hidden" name="${FORM_TOKEN}" value="${form_token}">`;
}

/** A form that is one button. */
export function postButton(
  visit: Visit,
  action: string,
  label: string | Html,
  options: ButtonOptions = {},
): Html {
  const { look = "main", fields = {} } = options;
  return html`<form method="post" action="${action}">${formToken(visit)}${hiddenFields(fields)}<button class="${look}">${label}</button></form>`;
}

/** Fields that travel with a form unseen. */
export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): Html[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );
}
