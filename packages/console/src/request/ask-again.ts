/** Asks a signed-in owner again before access is given: an open browser alone is not enough when there is a password or a passkey. */
import { ApiError } from "@rungs/contract";
import {
  findPasskeySite,
  hasPassword,
  isFreshSession,
  listPasskeys,
  offerAssertion,
  type PasskeySite,
} from "@rungs/server";
import { type Html, html } from "../ui/html.ts";
import { PASSKEY_FIELD, renderPasskeyField } from "../ui/passkey-field.ts";
import type { OwnerRequest } from "./console-request.ts";

const PASSWORD = "password";
const NEW_LINK = "Sign in with a new link from rungs login-link and do it within 15 minutes.";
const OTHER_BROWSER = "Use a browser that runs scripts.";

/** The owner's ways to confirm, and which of them work at this address. */
interface WaysToConfirm {
  readonly is_asked: boolean;
  readonly password: boolean;
  readonly site: PasskeySite | undefined;
}

async function findWays({ context, base_url }: OwnerRequest): Promise<WaysToConfirm> {
  const [password, passkeys] = [await hasPassword(context), await listPasskeys(context)];
  const here = findPasskeySite(base_url);
  const site = passkeys.some(({ rp_id }) => rp_id === here?.rp_id) ? here : undefined;
  return { is_asked: password || passkeys.length > 0, password, site };
}

/** Renders the fields of a form that gives access; undefined when nothing is set up to ask for. */
export async function renderAskAgain(request: OwnerRequest): Promise<Html | undefined> {
  const { is_asked, password, site } = await findWays(request);
  if (!is_asked) return undefined;
  if (!password && !site)
    return html`<p class="small">Your passkeys do not work at this address. ${NEW_LINK}</p>`;
  const purpose = { purpose: "confirm", bound_to: request.session.session_id } as const;
  return html`${password ? renderPasswordField(site !== undefined) : html`<p class="small">Your browser asks for your passkey when you send this.</p>`}
${site ? renderPasskeyField("get", await offerAssertion(request.context, site, purpose), password ? "Use your password." : OTHER_BROWSER) : ""}`;
}

function renderPasswordField(has_passkey: boolean): Html {
  return html`<label for="${PASSWORD}">Your password, again${has_passkey ? ", or leave it empty and use your passkey" : ""}</label>
<input id="${PASSWORD}" name="${PASSWORD}" type="password" autocomplete="current-password">`;
}

/** Throws unless the form has the owner's password or passkey, or nothing is set up to ask for. */
export async function confirmOwner(request: OwnerRequest, form: URLSearchParams): Promise<void> {
  const { context, session } = request;
  const { is_asked, password, site } = await findWays(request);
  if (!is_asked) return;
  const response = form.get(PASSKEY_FIELD) ?? "";
  if (site && (response !== "" || !password)) {
    if (response === "") refuse("This needs your passkey.", OTHER_BROWSER);
    return context.signIn.confirmByPasskey(context, site, { response, bound_to: session.session_id });
  }
  if (password) return context.signIn.confirm(context, form.get(PASSWORD) ?? "");
  // Sign-in here is only by link, which already proves access to the command line.
  if (!isFreshSession(session, context.now()))
    refuse("Your passkeys do not work at this address, and you signed in a while ago.", NEW_LINK);
}

/**
 * Whether passwords and passkeys may be changed: only in a fresh session, so that an owner who lost them needs just a
 * link.
 */
export async function mayChangeSignIn(request: OwnerRequest): Promise<boolean> {
  return isFreshSession(request.session, request.context.now()) || !(await findWays(request)).is_asked;
}

/** Throws unless passwords and passkeys may be changed. */
export async function requireNewSession(request: OwnerRequest): Promise<void> {
  if (!(await mayChangeSignIn(request)))
    refuse("You signed in more than 15 minutes ago.", "Sign in again, then change it.");
}

function refuse(message: string, next: string): never {
  throw new ApiError("invalid_token", { message, next });
}
