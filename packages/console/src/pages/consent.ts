import { ApiError } from "@rungs/contract";
import type { Consents, ConsentView } from "@rungs/server";
import { READ_BOX } from "../choice/choice-form.ts";
import { readPresetChoice } from "../choice/presets.ts";
import { parseChoiceForm, type SubmittedChoice } from "../choice/read-choice.ts";
import { confirmOwner, renderAskAgain } from "../request/ask-again.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Act, Show } from "../request/route.ts";
import { quoteName, renderConsent } from "../ui/consent-view.ts";
import { html } from "../ui/html.ts";
import type { PageContent } from "../ui/page.ts";

const NOT_REVIEWED = "Look at what it would read, and tick that you have, before you allow it.";

/** A client's authorization request, as the client made it. */
export const showConsent: Show = async (request) => {
  const view = await requireConsents(request).view(request.param("uid"));
  return view ? show(request, view, asShown(view)) : showClosed();
};

/** Handles the owner's decision: preview a narrower choice, deny, or approve exactly what was shown. */
export const decideConsent: Act = async (request, form) => {
  const consents = requireConsents(request);
  const uid = request.param("uid");
  if (form.get("do") === "deny")
    return returnToClient(await consents.deny(uid), "Refused", "Nothing was granted.");
  const asked = await consents.view(uid);
  if (!asked) return showClosed();
  const choice = await readSubmitted(request, form, asked);
  if (typeof choice === "string") return show(request, asked, asShown(asked), choice);
  if (form.get("do") !== "approve") return showAgain(request, choice);
  if (form.get(READ_BOX) !== "yes") return showAgain(request, choice, NOT_REVIEWED);
  const wrong = await findUnconfirmed(request, form);
  if (wrong !== undefined) return showAgain(request, choice, wrong);
  const shown = { digest: form.get("digest") ?? "", training_allowed: form.get("training") === "yes" };
  const result = await consents.approve(uid, choice.decision, shown);
  return result.kind === "granted"
    ? returnToClient(result.redirect_url, "Granted", "You can end the grant at any time, under Grants.")
    : show(request, result.view, choice, result.reason);
};

/** The submitted choice, or that of the preset; a sentence when it cannot be read. */
async function readSubmitted(
  request: OwnerRequest,
  form: URLSearchParams,
  { grantable }: ConsentView,
): Promise<SubmittedChoice | string> {
  try {
    const preset = form.get("do") === "apply" ? await readPresetChoice(request, form, grantable) : undefined;
    return preset ?? parseChoiceForm(form, grantable);
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

function asShown({ decision }: ConsentView): SubmittedChoice {
  return { decision, finds: new Map(), filter: "" };
}

async function showAgain(
  request: OwnerRequest,
  choice: SubmittedChoice,
  reason?: string,
): Promise<PageContent> {
  const consents = requireConsents(request);
  const uid = request.param("uid");
  try {
    const view = await consents.view(uid, choice.decision);
    return view ? show(request, view, { ...choice, decision: view.decision }, reason) : showClosed();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const view = await consents.view(uid);
    return view ? show(request, view, asShown(view), error.message) : showClosed();
  }
}

/** Why the owner is not confirmed; undefined when the password or passkey is right, or nothing is set up. */
async function findUnconfirmed(request: OwnerRequest, form: URLSearchParams): Promise<string | undefined> {
  try {
    await confirmOwner(request, form);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return `${error.message} ${error.details.next ?? ""}`.trim();
    throw error;
  }
}

async function show(
  request: OwnerRequest,
  view: ConsentView,
  choice: SubmittedChoice,
  reason?: string,
): Promise<PageContent> {
  return {
    title: `Let ${quoteName(view.client.name)} read your data?`,
    is_bare: true,
    body: await renderConsent(request, view, { reason, choice, askAgain: await renderAskAgain(request) }),
  };
}

function showClosed(): PageContent {
  return {
    title: "This request is closed",
    status: 404,
    body: html`<p class="lead">It was answered already, or it has expired. If a program is still waiting, start again from there.</p>`,
  };
}

/**
 * Sends the browser back to the client by an intermediate page. A redirect would count as part of the form submission,
 * and the CSP `form-action` allows only this site.
 */
function returnToClient(redirect_url: string | undefined, title: string, sentence: string): PageContent {
  if (redirect_url === undefined) return showClosed();
  return {
    title,
    body: html`<p class="lead">${sentence}</p><p><a href="${redirect_url}">Back to the program that asked</a></p>`,
    refresh: { seconds: 0, to: redirect_url },
  };
}

/** The pending authorization requests, if the server has an authorization server. */
export function requireConsents({ context }: OwnerRequest): Consents {
  if (context.consents) return context.consents;
  throw new ApiError("not_implemented");
}
