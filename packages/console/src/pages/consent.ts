import { ApiError } from "@rungs/contract";
import type { ConsentDecision, Consents, ConsentView } from "@rungs/server";
import { confirmOwner, renderAskAgain } from "../request/ask-again.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Act, Show } from "../request/route.ts";
import { quoteName, READ_BOX, renderConsent } from "../ui/consent-view.ts";
import { html } from "../ui/html.ts";
import type { PageContent } from "../ui/page.ts";
import { readPicked } from "../ui/picker.ts";

const NOT_REVIEWED = "Look at what it would read, and tick that you have, before you allow it.";

/** A client's authorization request, as the client made it. */
export const showConsent: Show = async (request) => {
  const view = await requireConsents(request).view(request.param("uid"));
  return view ? show(request, view) : showClosed();
};

/** Handles the owner's decision: preview a narrower choice, deny, or approve exactly what was shown. */
export const decideConsent: Act = async (request, form) => {
  const consents = requireConsents(request);
  const uid = request.param("uid");
  const choice = readChoice(form);
  switch (form.get("do")) {
    case "deny":
      return returnToClient(await consents.deny(uid), "Refused", "Nothing was granted.");
    case "approve": {
      if (form.get(READ_BOX) !== "yes") return showAgain(request, choice, NOT_REVIEWED);
      const wrong = await findUnconfirmed(request, form);
      if (wrong !== undefined) return showAgain(request, choice, wrong);
      const shown = { digest: form.get("digest") ?? "", training_allowed: form.get("training") === "yes" };
      const result = await consents.approve(uid, choice, shown);
      return result.kind === "granted"
        ? returnToClient(result.redirect_url, "Granted", "You can end the grant at any time, under Grants.")
        : show(request, result.view, result.reason);
    }
    default:
      return showAgain(request, choice);
  }
};

async function showAgain(
  request: OwnerRequest,
  choice: ConsentDecision,
  reason?: string,
): Promise<PageContent> {
  const view = await requireConsents(request).view(request.param("uid"), choice);
  return view ? show(request, view, reason) : showClosed();
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

async function show(request: OwnerRequest, view: ConsentView, reason?: string): Promise<PageContent> {
  return {
    title: `Let ${quoteName(view.client.name)} read your data?`,
    is_bare: true,
    body: renderConsent(request, view, { reason, askAgain: await renderAskAgain(request) }),
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

function readChoice(form: URLSearchParams): ConsentDecision {
  const days = Number(form.get("expires_in_days"));
  return { streams: readPicked(form), expires_in_days: days > 0 ? days : undefined };
}

/** The pending authorization requests, if the server has an authorization server. */
export function requireConsents({ context }: OwnerRequest): Consents {
  if (context.consents) return context.consents;
  throw new ApiError("not_implemented");
}
