/** The passkeys on the settings page: list, add and remove. */
import { ApiError } from "@rungs/contract";
import {
  findPasskeySite,
  listPasskeys,
  offerRegistration,
  type Passkey,
  type PasskeySite,
  registerPasskey,
  removePasskey,
} from "@rungs/server";
import { requireNewSession } from "../request/ask-again.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo } from "../request/route.ts";
import { renderCsrfField, renderPostButton } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { PASSKEY_FIELD, renderPasskeyField } from "../ui/passkey-field.ts";
import { renderTime } from "../ui/words.ts";

const PATH = "/console/settings/passkeys";
const WITH_PASSKEYS = "A passkey signs in, and is asked for before anyone gets access to your data.";
const WITHOUT_PASSKEYS =
  "No passkey is set up. With one, your fingerprint, face or security key signs in, and is asked for before anyone gets access to your data.";

/** Renders the passkeys; `may_change` is whether they may be added and removed. */
export async function renderPasskeys(request: OwnerRequest, may_change: boolean): Promise<Html> {
  const passkeys = await listPasskeys(request.context);
  const site = findPasskeySite(request.base_url);
  return html`<p>${passkeys.length === 0 ? WITHOUT_PASSKEYS : WITH_PASSKEYS}</p>
<ul class="rows">${passkeys.map((each) => renderPasskey(request, each, may_change))}</ul>
${site ? (may_change ? await renderAddForm(request, site) : "") : renderElsewhere(request.base_url)}`;
}

/** Stores the passkey that the browser made. */
export const addPasskey: Act = async (request, form) => {
  const { context, session, base_url } = request;
  await requireNewSession(request);
  const site = findPasskeySite(base_url);
  if (!site) throw new ApiError("not_implemented");
  const { session_id: bound_to } = session;
  const [response, label] = [form.get(PASSKEY_FIELD) ?? "", form.get("label") ?? ""];
  await registerPasskey(context, site, { response, label, bound_to });
  return redirectTo("/console/settings");
};

/** Removes one passkey. */
export const removeOnePasskey: Act = async (request, form) => {
  await requireNewSession(request);
  await removePasskey(request.context, form.get("passkey_id") ?? "");
  return redirectTo("/console/settings");
};

function renderPasskey(request: OwnerRequest, passkey: Passkey, may_change: boolean): Html {
  const { passkey_id, label, rp_id, created_at, used_at } = passkey;
  const button = { look: "quiet", fields: { passkey_id } } as const;
  return html`<li><span><strong dir="auto">${label}</strong> at ${rp_id}</span>
<span class="small">since ${renderTime(created_at)}${when(used_at, (time) => html`, last used ${renderTime(time)}`)}</span>
${when(may_change, () => renderPostButton(request, `${PATH}/remove`, html`Remove<span class="hidden"> the passkey ${label}</span>`, button))}</li>`;
}

async function renderAddForm(request: OwnerRequest, site: PasskeySite): Promise<Html> {
  const options = await offerRegistration(request.context, site, request.session.session_id);
  return html`<form method="post" action="${PATH}" class="card">${renderCsrfField(request)}
<label for="label">A name for the passkey</label><input id="label" name="label" maxlength="100" required autocomplete="off">
<button>Add a passkey</button>
${renderPasskeyField("create", options, "Set a password instead.")}</form>`;
}

/** Browsers bind passkeys to a name, and take only those of a secure origin. */
function renderElsewhere(base_url: string): Html {
  const { port, protocol } = new URL(base_url);
  const local = `http://localhost${port === "" ? "" : `:${port}`}/console/settings`;
  return html`<p class="small">${
    protocol === "https:" || !/^http:\/\/(?:127\.|\[::1\])/.test(base_url)
      ? "Passkeys need a host name with https."
      : html`Passkeys need a host name: open <a href="${local}">${local}</a> and sign in there.`
  }</p>`;
}
