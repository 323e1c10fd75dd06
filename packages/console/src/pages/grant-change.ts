/** The page that changes a grant: narrowing applies at once, widening needs the owner's confirmation. */
import { ApiError } from "@rungs/contract";
import {
  type ChangeableGrant,
  changeGrant,
  type GrantChange,
  openGrantChange,
  previewGrantChange,
} from "@rungs/server";
import { READ_BOX, renderChoiceForm } from "../choice/choice-form.ts";
import { parseChoiceForm, type SubmittedChoice } from "../choice/read-choice.ts";
import { confirmOwner, renderAskAgain } from "../request/ask-again.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { type Html, html, when } from "../ui/html.ts";
import type { PageContent } from "../ui/page.ts";
import { chooseName } from "./grants.ts";

const NOT_REVIEWED = "Look at what it would read, and tick that you have, before you change the grant.";
const CHANGED = "This has changed since it was shown: look at it again.";
const NOTHING = "A grant needs at least one stream. To take everything away, revoke it.";

/** The form with what the grant allows now. */
export const showGrantChange: Show = async (request) => {
  const opened = await openGrantChange(request.context, request.param("grant_id"));
  return show(request, opened, { decision: opened.decision, finds: new Map(), filter: "" });
};

/** Previews a change, or makes it. */
export const changeGrantByForm: Act = async (request, form) => {
  const { context, param } = request;
  const opened = await openGrantChange(context, param("grant_id"));
  try {
    const choice = parseChoiceForm(form, opened.offered);
    if (form.get("do") !== "approve") return await show(request, opened, choice);
    if (form.get(READ_BOX) !== "yes") return await show(request, opened, choice, NOT_REVIEWED);
    const change = await previewGrantChange(context, param("grant_id"), choice.decision);
    if (!change.after) return await show(request, opened, choice, NOTHING);
    if (form.get("digest") !== change.digest) return await show(request, opened, choice, CHANGED);
    if (change.widenings.length > 0) await confirmOwner(request, form);
    await changeGrant(context, change);
    return redirectTo("/console/grants");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const asIs = { decision: opened.decision, finds: new Map(), filter: "" };
    return show(request, opened, asIs, error.message);
  }
};

async function show(
  request: OwnerRequest,
  { grant, offered }: ChangeableGrant,
  choice: SubmittedChoice,
  notice?: string,
): Promise<PageContent> {
  const change = await previewGrantChange(request.context, grant.grant_id, choice.decision);
  return {
    title: `Change the grant of ${chooseName(grant)}`,
    is_bare: true,
    body: html`${when(notice, (why) => html`<p class="notice" role="alert">${why}</p>`)}
${await renderChoiceForm(request, {
  action: `/console/grants/${grant.grant_id}/change`,
  offered,
  choice,
  streams: change.streams,
  digest: change.after ? change.digest : undefined,
  hint: "Tokens that have the grant read under what it allows now from their next request on. Its end can only come nearer.",
  notes: await renderWidenings(request, change),
  main_button: "Change the grant",
  other_buttons: html`<a href="/console/grants">Keep it as it is</a>`,
})}`,
  };
}

/** Only a widening change asks for the password or passkey. */
async function renderWidenings(request: OwnerRequest, { widenings, after }: GrantChange): Promise<Html> {
  if (!after) return html`<p class="small">${NOTHING}</p>`;
  if (widenings.length === 0)
    return html`<p class="small">It gives nothing that ${chooseName(after)} does not read already.</p>`;
  return html`<div class="notice"><p><strong>It gives ${chooseName(after)} more than before:</strong></p>
<ul>${widenings.map((each) => html`<li dir="auto">${each}</li>`)}</ul></div>${(await renderAskAgain(request)) ?? ""}`;
}
