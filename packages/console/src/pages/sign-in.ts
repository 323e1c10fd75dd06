import { endSession, hasPassword } from "@rungs/server";
import { hiddenFields } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { type Act, goTo, type PageAnswer } from "../visit/answer.ts";
import { findBrowserSession, giveSecret } from "../visit/browser-secret.ts";
import { clearCookie, isSecure } from "../visit/cookie.ts";
import { parseNextPage } from "../visit/next-page.ts";
import type { Guest } from "../visit/visit.ts";

const COOKIE_ALONE = "cookie_alone";

/**
 * Where a link leads. Opening it uses nothing up, the button does: what looks at links before people do would
 * otherwise be the one that signs in.
 */
export async function showSignIn({ query, parts, base_url }: Guest): Promise<PageAnswer> {
  const next = parseNextPage(query("next"));
  const code = query("code");
  const choice = isSecure(base_url) ? "" : cookieChoice();
  if (code !== undefined) {
    const body = html`<p class="lead">This link signs this browser in, once.</p>
<form method="post" action="/console/sign-in" class="card">${hiddenFields({ code, next })}<button class="main">Sign in</button>
${choice}</form>`;
    return { title: "Sign in to your data", body };
  }
  const body = html`<p class="lead">Open the link that <code>rungs serve</code> printed when it started, or make a new one on the machine that runs it:</p>
<pre class="copy" tabindex="0">npx rungs login-link</pre>
<form method="post" action="/console/sign-in" class="card">${hiddenFields({ next })}
<label for="code">The link, or its code</label>
<input id="code" name="code" autocomplete="off" spellcheck="false" required>
<button class="main">Sign in</button>
${choice}</form>
${(await hasPassword(parts)) ? passwordForm(next, choice) : ""}`;
  return { title: "Sign in to your data", body };
}

/** Starts a session under a secret that is new, whatever the browser brought along. */
export async function signIn(guest: Guest, form: URLSearchParams): Promise<PageAnswer> {
  const { parts, request } = guest;
  const agent = request.headers.get("User-Agent") ?? "";
  const password = form.get("password");
  const secret =
    password === null
      ? await parts.signIn.byCode(codeOf(form.get("code") ?? ""), agent)
      : await parts.signIn.byPassword(password, agent);
  const old = await findBrowserSession(guest);
  if (old) await endSession(parts, old.session_id);
  const next = parseNextPage(form.get("next"));
  return giveSecret(guest, { secret, next, is_cookie_alone: form.has(COOKIE_ALONE) });
}

/** Ends this browser's session. */
export const signOut: Act = async ({ parts, session, base_url }) => {
  await endSession(parts, session.session_id);
  return goTo("/console/sign-in", { "Set-Cookie": clearCookie(base_url) });
};

function passwordForm(next: string, choice: Html | string): Html {
  return html`<form method="post" action="/console/sign-in" class="card">${hiddenFields({ next })}
<label for="password">Or your password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in with the password</button>
${choice}</form>`;
}

/** For browsers that do not take a key out of an address. */
function cookieChoice(): Html {
  return html`<details class="small"><summary>Did your browser ask for a name and a password?</summary>
<p><label><input type="checkbox" name="${COOKIE_ALONE}"> Keep my session in a cookie alone.</label>
A program on another port of this machine that this browser is led to could then use it.</p></details>`;
}

/** People paste the whole link as often as its code. */
function codeOf(text: string): string {
  return /[?&]code=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
}
