import { describeHosts } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import {
  type ChosenStream,
  createGrant,
  listAllGrantable,
  previewChoice,
  writeGrantRequest,
} from "@rungs/server";
import { confirmOwner, renderAskAgain } from "../request/ask-again.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Act, Show } from "../request/route.ts";
import { renderCsrfField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { PageContent } from "../ui/page.ts";
import { readPicked, renderPicker } from "../ui/picker.ts";
import { PREVIEW, renderStreamPreviews } from "../ui/stream-preview.ts";
import { renderHosts } from "./connect.ts";
import { renderCover } from "./grants.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRIES = [
  [1, "a day"],
  [7, "a week"],
  [30, "30 days"],
  [365, "a year"],
] as const;

/** The form that creates a grant. */
export const showGrantForm: Show = (request) => showForm(request, new URLSearchParams());

async function showForm(request: OwnerRequest, form: URLSearchParams): Promise<PageContent> {
  const chosen = readPicked(form);
  return {
    title: "Make a grant",
    body: html`<p class="lead">For a program that cannot ask for access itself. It gets a token, which is shown to you once.</p>
${await renderForm(request, form, chosen)}`,
  };
}

/** Creates the grant and shows its token, only in this response. */
export const createGrantByForm: Act = async (request, form) => {
  const { context, base_url } = request;
  const client_id = form.get("client")?.trim() ?? "";
  const chosen = readPicked(form);
  if (form.get("do") === "update") return showForm(request, form);
  if (client_id === "") refuse("client", "The grant needs a name for who may read.");
  if (chosen.length === 0) refuse("stream", "The grant needs at least one stream.");
  await confirmOwner(request, form);
  const { grant, token } = await createGrant(context, {
    client: { client_id },
    details: await writeGrantRequest(context, chosen),
    expires_at_ms: computeExpiryMs(form, context.now()),
  });
  const body = html`<p class="lead">Copy the token now: it is not stored and cannot be shown again.</p>
<pre class="copy" tabindex="0" aria-label="Token">${token}</pre>
<h2>It may read</h2>${renderCover(grant)}
<h2>Where to put it</h2>${renderHosts(describeHosts(base_url, token))}
<p><a href="/console/grants">To the grants</a></p>`;
  return { title: `Grant for ${client_id}`, body };
};

async function renderForm(
  request: OwnerRequest,
  form: URLSearchParams,
  chosen: readonly ChosenStream[],
): Promise<Html> {
  const { context } = request;
  const days = form.has("expires") ? form.get("expires") : "30";
  return html`<form method="post" action="/console/grants/new" data-preview="${PREVIEW}">${renderCsrfField(request)}
<div class="card"><label for="client">Who may read</label><input id="client" name="client" maxlength="200" required autocomplete="off" value="${form.get("client") ?? ""}">
<label for="expires">For how long</label><select id="expires" name="expires"><option value="">Until I revoke it</option>
${EXPIRIES.map(([each, name]) => html`<option value="${each}"${String(each) === days ? html` selected` : ""}>${name}</option>`)}</select></div>
<h2>What may be read</h2>
${renderPicker(await listAllGrantable(context), chosen)}
<h2>It would read</h2>
${renderStreamPreviews((await previewChoice(context, { client_id: "preview" }, { streams: chosen }))?.streams ?? [])}
${(await renderAskAgain(request)) ?? ""}
<div class="actions"><button name="do" value="update" formnovalidate>Show what this choice means</button> <button class="main" name="do" value="make">Make the grant</button></div></form>`;
}

function computeExpiryMs(form: URLSearchParams, now_ms: number): number | undefined {
  const days = EXPIRIES.find(([each]) => String(each) === form.get("expires"))?.[0];
  return days === undefined ? undefined : now_ms + days * DAY_MS;
}

function refuse(param: string, message: string): never {
  throw new ApiError("invalid_request", { param, message, next: "Go back and fill the form in." });
}
