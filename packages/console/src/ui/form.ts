import { type Html, html } from "./html.ts";

/** The name of the form field that carries the CSRF token. */
export const CSRF_FIELD = "form_token";

/** The session that a form belongs to. */
export interface FormSession {
  readonly csrf_token: string;
}

interface ButtonOptions {
  readonly look?: "main" | "quiet" | "danger" | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** Renders the hidden CSRF field that every form of the owner's needs. */
export function renderCsrfField({ csrf_token }: FormSession): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${csrf_token}">`;
}

/** Renders a form that consists of one button. */
export function renderPostButton(
  session: FormSession,
  action: string,
  label: string | Html,
  options: ButtonOptions = {},
): Html {
  const { look = "main", fields = {} } = options;
  return html`<form method="post" action="${action}">${renderCsrfField(session)}${renderHiddenFields(fields)}<button class="${look}">${label}</button></form>`;
}

/** Renders hidden fields; leaves out undefined values. */
export function renderHiddenFields(fields: Readonly<Record<string, string | undefined>>): Html[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );
}
