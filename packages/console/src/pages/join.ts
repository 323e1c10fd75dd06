import { ApiError } from "@rungs/contract";
import { acceptInvitation, findInvited } from "@rungs/server";
import type { ConsoleRequest } from "../request/console-request.ts";
import type { PageAnswer } from "../request/route.ts";
import { sendSecret } from "../request/session-secret.ts";
import { renderHiddenFields } from "../ui/form.ts";
import { html } from "../ui/html.ts";

const SETTINGS = "/console/settings";

/** The page of an invitation. Opening it does not use it up, submitting the form does. */
export async function showJoin({ query, context }: ConsoleRequest): Promise<PageAnswer> {
  const code = query("code") ?? "";
  const name = await findInvited(context, code);
  if (name === undefined)
    throw new ApiError("not_found", {
      message: "The invitation was used before, was withdrawn, or is too old.",
      next: "Ask the administrator of this server for another one.",
    });
  const body = html`<p class="lead">You are invited to keep your data on this server, as <strong>${name}</strong>.</p>
<p>Nobody reads it but you, and the programs that you allow to. The administrator sees your name, how much room you take, and when you joined.
Who runs the machine can read its disk, as with every server.</p>
<form method="post" action="/console/join" class="card">${renderHiddenFields({ code })}
<input type="hidden" name="username" autocomplete="username" value="${name}">
<label for="password">Choose a password, 12 characters or more</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" required>
<button class="main">Join</button></form>`;
  return { title: "Join", body };
}

/** Makes an owner of the visitor and signs the browser in; passkeys are added in the settings. */
export async function join(request: ConsoleRequest, form: URLSearchParams): Promise<PageAnswer> {
  const { context, raw } = request;
  const secret = await acceptInvitation(context, {
    code: form.get("code") ?? "",
    password: form.get("password") ?? "",
    agent: raw.headers.get("User-Agent") ?? "",
  });
  return sendSecret(request, { secret, next: SETTINGS, is_cookie_alone: false });
}
