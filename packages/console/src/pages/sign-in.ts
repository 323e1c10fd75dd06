import {
  endSession,
  findPasskeySite,
  hasPassword,
  hasSeveralOwners,
  listPasskeys,
  offerAssertion,
} from "@rungs/server";
import { BASIC_CHALLENGE } from "../request/basic-key.ts";
import type { ConsoleRequest } from "../request/console-request.ts";
import { type Act, type PageAnswer, redirectTo } from "../request/route.ts";
import { clearCookie, isSecure } from "../request/session-cookie.ts";
import { findBrowserSession, sendSecret } from "../request/session-secret.ts";
import { renderHiddenFields } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { PASSKEY_FIELD, renderPasskeyField } from "../ui/passkey-field.ts";

const COOKIE_ALONE = "cookie_alone";

/**
 * The page of a login link. Opening it does not use the link up, submitting the form does: otherwise a link scanner
 * that opens it first would be signed in.
 */
export async function showSignIn({ query, context, base_url }: ConsoleRequest): Promise<PageAnswer> {
  const next = parseNextPage(query("next"));
  const code = query("code");
  const choice = isSecure(base_url) ? "" : renderCookieChoice();
  if (code !== undefined) {
    const body = html`<p class="lead">This link signs this browser in, once.</p>
<form method="post" action="/console/sign-in" class="card">${renderHiddenFields({ code, next })}<button class="main">Sign in</button>
${choice}</form>`;
    return { title: "Sign in to your data", body };
  }
  // With several owners, the page must not depend on who has a password or a passkey.
  const is_shared = await hasSeveralOwners(context);
  const body = html`<p class="lead">Open the link that the server printed when it started, or make a new one on the machine that runs it:</p>
<pre class="copy" tabindex="0">npx rungs login-link${context.command_options}</pre>
<form method="post" action="/console/sign-in" class="card">${renderHiddenFields({ next })}
<label for="code">The link, or its code</label>
<input id="code" name="code" autocomplete="off" spellcheck="false" required>
<button class="main">Sign in</button>
${choice}</form>
${await renderPasskeyForm({ context, base_url }, { next, choice, is_shared })}
${is_shared || (await hasPassword(context)) ? renderPasswordForm({ next, choice, is_shared }) : ""}`;
  return { title: "Sign in to your data", body };
}

/** Starts a session under a new secret, never under one that the browser sent (session fixation). */
export async function signIn(request: ConsoleRequest, form: URLSearchParams): Promise<PageAnswer> {
  const { context, raw } = request;
  const agent = raw.headers.get("User-Agent") ?? "";
  const secret = await startByForm(request, form, agent);
  const old = await findBrowserSession(request);
  if (old) await endSession({ ...context, owner_id: old.owner_id }, old.session_id);
  const next = parseNextPage(form.get("next"));
  return sendSecret(request, { secret, next, is_cookie_alone: form.has(COOKIE_ALONE) });
}

function startByForm({ context, base_url }: ConsoleRequest, form: URLSearchParams, agent: string) {
  const [password, passkey] = [form.get("password"), form.get(PASSKEY_FIELD)];
  const site = findPasskeySite(base_url);
  if (passkey !== null && site) return context.signIn.byPasskey(site, passkey, agent);
  const name = form.get("name")?.trim();
  if (password !== null) return context.signIn.byPassword({ name, password }, agent);
  return context.signIn.byCode(extractCode(form.get("code") ?? ""), agent);
}

/** Ends this browser's session. */
export const signOut: Act = async ({ context, session, base_url }) => {
  await endSession(context, session.session_id);
  return redirectTo("/console/sign-in", { "Set-Cookie": clearCookie(base_url) });
};

interface FormChoice {
  readonly next: string;
  readonly choice: Html | string;
  /** Whether the server has several owners. */
  readonly is_shared: boolean;
}

/** Only where a passkey was made for this address, or may have been. */
async function renderPasskeyForm(
  { context, base_url }: Pick<ConsoleRequest, "context" | "base_url">,
  { next, choice, is_shared }: FormChoice,
): Promise<Html | string> {
  const site = findPasskeySite(base_url);
  const passkeys = site && !is_shared ? await listPasskeys(context) : [];
  if (!site || !(is_shared || passkeys.some(({ rp_id }) => rp_id === site.rp_id))) return "";
  const options = await offerAssertion(context, site, { purpose: "sign_in", bound_to: "" });
  return html`<form method="post" action="/console/sign-in" class="card">${renderHiddenFields({ next })}
<button>Sign in with a passkey</button>
${renderPasskeyField("get", options, "Use a link or your password.")}
${choice}</form>`;
}

function renderPasswordForm({ next, choice, is_shared }: FormChoice): Html {
  const name = html`<label for="name">Or your name</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required>
<label for="password">and your password</label>`;
  return html`<form method="post" action="/console/sign-in" class="card">${renderHiddenFields({ next })}
${is_shared ? name : html`<label for="password">Or your password</label>`}
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in with the password</button>
${choice}</form>`;
}

/** For browsers that ignore the credentials in a URL. */
function renderCookieChoice(): Html {
  return html`<details class="small"><summary>Did your browser ask for a name and a password?</summary>
<p><label><input type="checkbox" name="${COOKIE_ALONE}"> Keep my session in a cookie alone.</label>
A program on another port of this machine could then use it, if this browser opens its pages.</p></details>`;
}

/** Accepts the whole link or only its code. */
function extractCode(text: string): string {
  return /[?&]code=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
}

/** Makes a newly signed-in browser send its Basic key, which it keeps from then on. */
export async function showBasicKey(request: ConsoleRequest): Promise<PageAnswer> {
  const { raw, base_url, query } = request;
  // An absolute URL: a relative redirect would keep the credentials in the address bar.
  const next = new URL(raw.url).origin + parseNextPage(query("next"));
  if (isSecure(base_url) || (await findBrowserSession(request))) return redirectTo(next);
  const body = html`<p class="lead">This browser did not accept the key of its session.</p>
<p>The console signs in with a cookie and with a key, which a browser keeps for this address and port alone (HTTP Basic). Use another browser, or
<a href="/console/sign-in">sign in again</a> with a new link and choose there to keep the session in a cookie alone.</p>`;
  return { title: "You are not signed in", status: 401, headers: BASIC_CHALLENGE, body };
}

const HOME = "/console";

/** The page to open after signing in: only ever a page of this console, never another site (open redirect). */
export function parseNextPage(text: string | undefined | null): string {
  if (!text?.startsWith("/") || !URL.canParse(text, "http://here")) return HOME;
  const { origin, pathname, search } = new URL(text, "http://here");
  const isOurs = origin === "http://here" && (pathname === HOME || pathname.startsWith(`${HOME}/`));
  return isOurs ? pathname + search : HOME;
}
