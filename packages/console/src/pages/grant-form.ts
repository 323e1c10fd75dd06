/** The page that makes a grant for a program that cannot ask for one. */
import { describeHosts } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import {
  type ChoicePreview,
  createGrant,
  type GrantableStreams,
  listAllGrantable,
  previewChoice,
} from "@rungs/server";
import { READ_BOX, renderChoiceForm } from "../choice/choice-form.ts";
import {
  readPresetChoice,
  renderPresetChoice,
  renderPresetSaving,
  savePresetByForm,
} from "../choice/presets.ts";
import { parseChoiceForm, type SubmittedChoice } from "../choice/read-choice.ts";
import { createStreamNamer } from "../figures/sources.ts";
import { confirmOwner, renderAskAgain } from "../request/ask-again.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Act, Show } from "../request/route.ts";
import { html, when } from "../ui/html.ts";
import type { PageContent } from "../ui/page.ts";
import { renderHosts } from "./connect.ts";
import { renderCover } from "./grants.ts";

/** A grant expires unless the owner chooses otherwise (R71). */
const DAYS_DEFAULT = "30";
const NOT_REVIEWED = "Look at what it would read, and tick that you have, before you make the grant.";
const CHANGED = "This has changed since it was shown: look at it again.";

/** The form's content, and its preview. */
interface Draft {
  readonly client_id: string;
  readonly offered: readonly GrantableStreams[];
  readonly choice: SubmittedChoice;
  readonly preview: ChoicePreview | undefined;
  readonly reason: string | undefined;
}

/** The form that creates a grant; a preset fills it in. */
export const showGrantForm: Show = async (request) => {
  const form = new URLSearchParams({ expires_in_days: DAYS_DEFAULT });
  const preset = request.query("preset");
  if (preset !== undefined) form.set("preset", preset);
  return showDraft(request, await draft(request, form));
};

/** Previews the choice, or creates the grant and shows its token, only in this response. */
export const createGrantByForm: Act = async (request, form) => {
  const { context, base_url } = request;
  const drafted = await draft(request, form);
  const { client_id, preview, choice } = drafted;
  const doing = form.get("do") ?? "";
  if (doing === "save") return showDraft(request, drafted, await savePresetByForm(request, form, preview));
  if (doing !== "approve") return showDraft(request, drafted);
  if (client_id === "") return showDraft(request, drafted, "The grant needs a name for who may read.");
  if (!preview) return showDraft(request, drafted, drafted.reason ?? "The grant needs at least one stream.");
  if (form.get(READ_BOX) !== "yes") return showDraft(request, drafted, NOT_REVIEWED);
  if (form.get("digest") !== preview.digest) return showDraft(request, drafted, CHANGED);
  await confirmOwner(request, form);
  const { grant, token } = await createGrant(context, { ...preview.order, client: { client_id } });
  const body = html`<p class="lead">Copy the token now: it is not stored and cannot be shown again.</p>
<pre class="copy" tabindex="0" aria-label="Token">${token}</pre>
${when(choice.decision.masks, () => html`<p>Until its texts are masked, which takes a moment, reads are refused with <code>masking_unfinished</code>.</p>`)}
<h2>It may read</h2>${renderCover(grant, await createStreamNamer(context))}
<h2>Where to put it</h2>${renderHosts(describeHosts(base_url, token))}
<p><a href="/console/grants">To the grants</a></p>`;
  return { title: `Grant for ${client_id}`, body };
};

async function draft(request: OwnerRequest, form: URLSearchParams): Promise<Draft> {
  const { context } = request;
  const offered = await listAllGrantable(context);
  const client_id = form.get("client")?.trim() ?? "";
  const isApplied = form.get("do") === "apply" || !form.has("do");
  const preset = isApplied ? await readPresetChoice(request, form, offered) : undefined;
  try {
    const choice = preset ?? parseChoiceForm(form, offered);
    const preview = await previewChoice(context, { client_id: "preview" }, choice.decision);
    return { client_id, offered, choice, preview, reason: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const choice = { decision: { streams: [] }, finds: new Map(), filter: "" };
    return { client_id, offered, choice, preview: undefined, reason: error.message };
  }
}

async function showDraft(
  request: OwnerRequest,
  { client_id, offered, choice, preview, reason }: Draft,
  notice = reason,
): Promise<PageContent> {
  return {
    title: "Make a grant",
    is_bare: true,
    body: html`${when(notice, (why) => html`<p class="notice" role="alert">${why}</p>`)}
${await renderChoiceForm(request, {
  action: "/console/grants/new",
  offered,
  choice,
  streams: preview?.streams ?? [],
  digest: preview?.digest,
  first: html`<div class="card who"><label for="client">Who may read</label><input id="client" name="client" maxlength="200" required autocomplete="off" value="${client_id}">
${await renderPresetChoice(request)}</div>`,
  hint: "For a program that cannot ask for access itself. It gets a token, which is shown to you once.",
  notes: await renderAskAgain(request),
  main_button: "Make the grant",
  other_buttons: html`<a href="/console/grants">Cancel</a>`,
  last: renderPresetSaving(),
})}`,
  };
}
