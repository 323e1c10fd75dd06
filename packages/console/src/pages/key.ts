import { html } from "../ui/html.ts";
import { goTo, type PageAnswer } from "../visit/answer.ts";
import { findBrowserSession } from "../visit/browser-secret.ts";
import { isSecure } from "../visit/cookie.ts";
import { parseNextPage } from "../visit/next-page.ts";
import { KEY_CHALLENGE } from "../visit/port-key.ts";
import type { Guest } from "../visit/visit.ts";

/** Has a browser that was just signed in send its key, which it keeps from then on. */
export async function showKey(guest: Guest): Promise<PageAnswer> {
  const { request, base_url, query } = guest;
  // With the origin: a path alone would keep the key in the address.
  const next = new URL(request.url).origin + parseNextPage(query("next"));
  if (isSecure(base_url) || (await findBrowserSession(guest))) return goTo(next);
  const body = html`<p class="lead">This browser did not take the key of its session.</p>
<p>The console signs in with a cookie and with a key, which a browser keeps for this address and port alone (HTTP Basic). Use another browser, or
<a href="/console/sign-in">sign in again</a> with a new link and choose there to keep the session in a cookie alone.</p>`;
  return { title: "You are not signed in", status: 401, headers: KEY_CHALLENGE, body };
}
