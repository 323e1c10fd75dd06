import { endSession, findSession, hasPassword } from "@rungs/server";
import { hiddenFields } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { type Act, goTo, type PageAnswer } from "../visit/answer.ts";
import { clearCookie, readCookie, writeCookie } from "../visit/cookie.ts";
import { parseNextPage } from "../visit/next-page.ts";
import type { Guest } from "../visit/visit.ts";

/**
 * Where a link leads. Opening it uses nothing up, the button does: what looks at links before people do would
 * otherwise be the one that signs in.
 */
export async function showSignIn({ query, parts }: Guest): Promise<PageAnswer> {
  const next = parseNextPage(query("next"));
  const code = query("code");
  if (code !== undefined) {
    const body = html`<p class="lead">This link signs this browser in, once.</p>
<form method="post" action="/console/sign-in" class="card">${hiddenFields({ code, next })}<button class="main">Sign in</button></form>`;
    return { title: "Sign in to your data", body };
  }
  const body = html`<p class="lead">Open the link that <code>rungs serve</code> printed when it started, or make a new one on the machine that runs it:</p>
<pre class="copy" tabindex="0">npx rungs login-link</pre>
<form method="post" action="/console/sign-in" class="card">${hiddenFields({ next })}
<label for="code">The link, or its code</label>
<input id="code" name="code" autocomplete="off" spellcheck="false" required>
<button class="main">Sign in</button></form>
${(await hasPassword(parts)) ? passwordForm(next) : ""}`;
  return { title: "Sign in to your data", body };
}

/** Starts a session under a cookie that is new, whatever the browser brought along. */
export async function signIn(guest: Guest, form: URLSearchParams): Promise<PageAnswer> {
  const { parts, request, base_url } = guest;
  const agent = request.headers.get("User-Agent") ?? "";
  const password = form.get("password");
  const cookie =
    password === null
      ? await parts.signIn.byCode(codeOf(form.get("code") ?? ""), agent)
      : await parts.signIn.byPassword(password, agent);
  await endOldSession(guest);
  return goTo(parseNextPage(form.get("next")), { "Set-Cookie": writeCookie(cookie, base_url) });
}

/** Ends this browser's session. */
export const signOut: Act = async ({ parts, session, base_url }) => {
  await endSession(parts, session.session_id);
  return goTo("/console/sign-in", { "Set-Cookie": clearCookie(base_url) });
};

function passwordForm(next: string): Html {
  return html`<form method="post" action="/console/sign-in" class="card">${hiddenFields({ next })}
<label for="password">Or your password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in with the password</button></form>`;
}

/** People paste the whole link as often as its code. */
function codeOf(text: string): string {
  return /[?&]code=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
}

async function endOldSession({ parts, request, base_url }: Guest): Promise<void> {
  const old = readCookie(request, base_url);
  const session = old === undefined ? undefined : await findSession(parts, old);
  if (session) await endSession(parts, session.session_id);
}
