/** The consent page: which client asks, its claims, exactly what it would read, and the owner's choice. */
import type { ConsentClient, ConsentView } from "@rungs/server";
import { renderChoiceForm } from "../choice/choice-form.ts";
import { renderPresetChoice } from "../choice/presets.ts";
import type { SubmittedChoice } from "../choice/read-choice.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Html, html, when } from "./html.ts";

const UNAVAILABLE_MAX = 20;

/** Quotes a client's name; replaces quotation marks in it, so that it cannot end the quotation. */
export function quoteName(name: string): string {
  return `“${name.replace(/[“”„‟«»"]/g, "'")}”`;
}

/** What a consent page shows besides the request. */
export interface ConsentNotes {
  /** Why the page is shown again. */
  readonly reason: string | undefined;
  /** The fields that ask for the owner's password or passkey, if there is one. */
  readonly askAgain: Html | undefined;
  readonly choice: SubmittedChoice;
}

/** Renders an authorization request with the form that answers it. */
export async function renderConsent(
  request: OwnerRequest,
  view: ConsentView,
  { reason, askAgain, choice }: ConsentNotes,
): Promise<Html> {
  const { client, streams, user_code, unavailable, grantable, uid, digest, is_specific } = view;
  return html`${when(reason, (why) => html`<p class="notice" role="alert">${why}</p>`)}
<div class="consent"><div class="asks">${renderClient(client)}
${when(user_code, renderDeviceCode)}
${renderClaims(view)}
${when(unavailable.length > 0, () => renderUnavailable(client, unavailable))}</div>
${await renderChoiceForm(request, {
  action: `/console/consent/${uid}`,
  offered: grantable,
  choice,
  streams,
  are_asked: true,
  digest: streams.length === 0 ? undefined : digest,
  first: html`${await renderPresetChoice(request)}`,
  hint: is_specific
    ? `${quoteName(client.name)} asked for what is ticked at first; you can take anything away.`
    : `${quoteName(client.name)} named nothing in particular: you choose.`,
  notes: html`${when(view.asks_training, () => renderTraining(client))}${askAgain ?? ""}`,
  main_button: "Allow exactly what is shown",
  other_buttons: html`<button class="quiet" name="do" value="deny" formnovalidate>Refuse</button>`,
})}</div>`;
}

function renderTraining({ name }: ConsentClient): Html {
  return html`<label class="check warn"><input type="checkbox" name="training" value="yes">
${quoteName(name)} may also train AI models with this data</label>`;
}

function renderClient(client: ConsentClient): Html {
  const { client_id, name, named_by, policies, is_verified, redirect_host, is_loopback } = client;
  const proof = is_verified
    ? html`It was proven to speak for <strong>${new URL(client_id).host}</strong>; its name was not.`
    : html`<strong class="warn">Not verified: any program could use this name.</strong>`;
  return html`<section class="card"><h2>Who is asking</h2>
<p>${
    named_by === "nobody"
      ? "A program that has given no name."
      : html`A program that calls itself <strong dir="auto">${quoteName(name)}</strong>${named_by === "request" ? " in this request" : ""}.`
  } ${proof}</p>
<p class="small"><code class="id">${client_id}</code></p>
${when(
  policies.length > 0,
  () =>
    html`<p class="small">It says that its policy and terms are at ${policies.map((uri) => html`<code class="id">${uri}</code> `)}</p>`,
)}
${when(
  redirect_host !== "",
  () => html`<p>Afterwards your browser goes to
<strong>${redirect_host}</strong>${is_loopback ? ", a program on this machine" : ""}.</p>`,
)}</section>`;
}

function renderDeviceCode(user_code: string): Html {
  return html`<p class="notice">It asks from a device that must show the code <strong>${user_code}</strong>. If it shows
another one, or none, refuse.</p>`;
}

/** The client's own claims: set apart and attributed, since nobody has verified them. */
function renderClaims(view: ConsentView): Html {
  const { client, purpose_code, purpose_description, commitments, retention, access_mode } = view;
  const says = [
    ...(purpose_description === undefined ? [] : [purpose_description]),
    ...commitments,
    ...(retention?.max_duration === undefined
      ? []
      : [`It keeps what it reads for ${retention.max_duration} at most.`]),
    ...(retention?.on_expiry === undefined ? [] : [`Afterwards: ${retention.on_expiry}.`]),
  ];
  return html`<section class="card claims"><h2><bdi>${quoteName(client.name)}</bdi> says</h2>
<p class="small">These are the program's own words. Nobody has checked them.</p>
<blockquote>${says.length === 0 ? html`<p>Nothing.</p>` : says.map((line) => html`<p dir="auto">${line}</p>`)}</blockquote>
<p class="small">Purpose: <bdi title="${purpose_code}">${purpose_code.split(/[/#:]/).at(-1)?.replaceAll("_", " ") || purpose_code}</bdi>. It asks for access ${access_mode === "single_use" ? "with one token, which works for a day at most" : "until the grant ends"}.</p></section>`;
}

/** The client must not learn this before the owner has answered: it would reveal which data exists. */
function renderUnavailable({ name }: ConsentClient, unavailable: readonly string[]): Html {
  const more = unavailable.length - UNAVAILABLE_MAX;
  return html`<section class="notice"><p><bdi>${quoteName(name)}</bdi> also asked for what cannot be given. It does not know that;
give what is offered below, or refuse.</p><ul>${unavailable.slice(0, UNAVAILABLE_MAX).map((each) => html`<li dir="auto">${each}</li>`)}
${when(more > 0, () => html`<li>and ${more} more</li>`)}</ul></section>`;
}
