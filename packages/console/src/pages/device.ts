import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderCsrfField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { requireConsents } from "./consent.ts";

const RESULTS: Readonly<Record<string, string>> = {
  granted: "Granted. You can go back to your device.",
  denied: "Refused. Nothing was granted.",
};

/** The verification page of the device flow (RFC 8628): takes the code that the device shows. */
export const showDevice: Show = async (request) => {
  const result = RESULTS[request.query("result") ?? ""];
  return {
    title: "Connect a device",
    body:
      result === undefined
        ? renderForm(request, request.query("user_code"))
        : html`<p class="lead" role="status">${result}</p>`,
  };
};

/** Redirects from a device's code to its consent page. */
export const findDevice: Act = async (request, form) => {
  const user_code = form.get("user_code") ?? "";
  const uid = await requireConsents(request).findDevice(user_code);
  if (uid !== undefined) return redirectTo(`/console/consent/${uid}`);
  const body = html`<p class="notice" role="alert">No device is waiting with this code. Codes are valid for a few minutes only.</p>
${renderForm(request, user_code)}`;
  return { title: "Connect a device", status: 404, body };
};

function renderForm(request: OwnerRequest, user_code = ""): Html {
  return html`<p class="lead">A program without a browser shows a code. Enter it here if you started that program.</p>
<form method="post" action="/console/device" class="card">${renderCsrfField(request)}
<label for="user_code">Code</label><input id="user_code" name="user_code" value="${user_code}" autocomplete="off" spellcheck="false" required>
<button class="main">Continue</button></form>`;
}
