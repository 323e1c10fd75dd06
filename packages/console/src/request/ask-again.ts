/** Asks a signed-in owner again before access is given: an open browser alone is not enough when there is a password. */
import { hasPassword } from "@rungs/server";
import { type Html, html } from "../ui/html.ts";
import type { OwnerRequest } from "./console-request.ts";

const FIELD = "password";

/** Renders the password field of a form that gives access; nothing when no password is set. */
export async function renderAskAgain({ context }: OwnerRequest): Promise<Html | undefined> {
  if (!(await hasPassword(context))) return undefined;
  return html`<label for="${FIELD}">Your password, again</label>
<input id="${FIELD}" name="${FIELD}" type="password" autocomplete="current-password">`;
}

/** Throws unless the form has the owner's password, or none is set. */
export async function confirmOwner({ context }: OwnerRequest, form: URLSearchParams): Promise<void> {
  if (await hasPassword(context)) await context.signIn.confirm(form.get(FIELD) ?? "");
}
