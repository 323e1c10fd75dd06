import { formToken } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { type Act, goTo, type Show } from "../visit/answer.ts";
import type { Visit } from "../visit/visit.ts";
import { requireConsents } from "./consent.ts";

const RESULTS: Readonly<Record<string, string>> = {
  granted: "Granted. You can go back to your device.",
  denied: "Refused. Nothing was granted.",
};

/** Where the code of a device is typed that asks without a browser (RFC 8628). */
export const showDevice: Show = async (visit) => {
  const result = RESULTS[visit.query("result") ?? ""];
  return {
    title: "Connect a device",
    body:
      result === undefined
        ? renderForm(visit, visit.query("user_code"))
        : html`<p class="lead" role="status">${result}</p>`,
  };
};

/** Leads from a device's code to its question. */
export const findDevice: Act = async (visit, form) => {
  const user_code = form.get("user_code") ?? "";
  const uid = await requireConsents(visit).findDevice(user_code);
  if (uid !== undefined) return goTo(`/console/consent/${uid}`);
  const body = html`<p class="notice" role="alert">No device is waiting with this code. Codes are valid for some minutes only.</p>
${renderForm(visit, user_code)}`;
  return { title: "Connect a device", status: 404, body };
};

function renderForm(visit: Visit, user_code = ""): Html {
  return html`<p class="lead">A program without a browser shows a code. Type it here, if it was you who started that program.</p>
<form method="post" action="/console/device" class="card">${formToken(visit)}
<label for="user_code">Code</label><input id="user_code" name="user_code" value="${user_code}" autocomplete="off" spellcheck="false" required>
<button class="main">Go on</button></form>`;
}
