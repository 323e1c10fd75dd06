import {
  describeEmbeddings,
  endSession,
  hasPassword,
  hasSeveralOwners,
  listSessions,
  listTokens,
  PROGRAM_VERSION,
  removePassword,
  requireAccount,
  revokeToken,
  type Session,
  setPassword,
  type TokenSummary,
} from "@rungs/server";
import type { EmbeddingStatus } from "@rungs/store";
import { mayChangeSignIn, requireNewSession } from "../request/ask-again.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderCsrfField, renderPostButton } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { renderRowPage } from "../ui/row-pages.ts";
import { formatCount, formatNumber, formatSize, renderTime } from "../ui/words.ts";
import { renderPasskeys } from "./passkeys.ts";

/** The share of the page that browsers and tokens have, each. */
const LIST_BYTES = 4_500;
const WITH_PASSWORD = "A password is set: it signs in from any machine that reaches this server.";

const MEANING: Readonly<Record<EmbeddingStatus["kind"], string>> = {
  builtin: "Built-in vectors of English words compare texts by meaning.",
  endpoint: "An embedding service compares texts by meaning.",
  off: "Nothing is compared by meaning: searches use words alone.",
};

const KINDS: Readonly<Record<TokenSummary["kind"], string>> = {
  owner: "may do everything",
  client: "reads under its grant",
  writer: "only writes, to one connection",
  session: "is signed in",
  introspection: "asks about tokens",
};

/** Sessions, tokens, passkeys and the password. */
export const showSettings: Show = async (request) => {
  const sessions = await listSessions(request.context);
  const tokens = (await listTokens(request.context)).filter(
    ({ is_live, kind }) => is_live && kind !== "session",
  );
  const may_change = await mayChangeSignIn(request);
  const browsers = await renderRowPage(placeOf(request, "browsers"), sessions, (each) =>
    renderSession(request, each),
  );
  const body = html`<section><h2>Signed-in browsers</h2><ul class="rows">${browsers.rows}</ul>${browsers.pages}</section>
<section><h2>Tokens</h2>${await renderTokens(request, tokens)}</section>
<section><h2>Passkeys</h2>${await renderPasskeys(request, may_change)}</section>
<section><h2>Password</h2>${renderPassword(request, await hasPassword(request.context), may_change)}</section>
<section><h2>Search by meaning</h2>${renderMeaning(await describeEmbeddings(request.context), request.context)}</section>
${await renderAccount(request)}
<section><h2>About</h2><p class="small">Rungs ${PROGRAM_VERSION}, reached at ${request.base_url}</p></section>`;
  return { title: "Settings", body };
};

/** Sets or removes the password; every other browser has to sign in again. */
export const changePassword: Act = async (request, form) => {
  const { context, session } = request;
  await requireNewSession(request);
  const password = form.get("password") ?? "";
  if (form.get("do") === "remove") await removePassword(context);
  else await setPassword(context, password);
  for (const { session_id } of await listSessions(context)) {
    if (session_id !== session.session_id) await endSession(context, session_id);
  }
  return redirectTo("/console/settings");
};

/** Ends one session. */
export const endOneSession: Act = async ({ context }, form) => {
  await endSession(context, form.get("session_id") ?? "");
  return redirectTo("/console/settings");
};

/** Revokes one token. */
export const endOneToken: Act = async ({ context }, form) => {
  await revokeToken(context, form.get("token_id") ?? "");
  return redirectTo("/console/settings");
};

/** On a server with several owners: the owner's name and remaining quota. Otherwise, how to invite another one. */
async function renderAccount({ context }: OwnerRequest): Promise<Html | string> {
  const { owner_id, is_admin, quota, usage } = await requireAccount(context, context.owner_id);
  if (!(await hasSeveralOwners(context)))
    return is_admin
      ? html`<section><h2>Other people</h2><p>Somebody else can have their own data on this server, which you cannot read. <a href="/console/owners">Invite somebody</a></p></section>`
      : "";
  const has = usage && `${formatCount(usage.records, "record")} and ${formatSize(usage.bytes)}`;
  const limits = [
    quota.records === undefined ? [] : [formatCount(quota.records, "record")],
    quota.bytes === undefined ? [] : [formatSize(quota.bytes)],
    quota.requests === undefined ? [] : [`${formatCount(quota.requests, "request")} a minute`],
  ].flat();
  return html`<section><h2>Your account</h2><p>You are <strong>${owner_id}</strong> on this server.${has ? ` You have ${has}.` : ""}
${limits.length > 0 ? `Your quota: ${limits.join(", ")}.` : ""}</p>
${is_admin ? html`<p><a href="/console/owners">The owners of this server</a></p>` : ""}</section>`;
}

/** What compares texts by meaning, and where text goes; the command line changes it (R65). */
function renderMeaning(
  { kind, endpoint, record_count, embedded_count, failure }: EmbeddingStatus,
  { command_options }: OwnerRequest["context"],
): Html {
  const place =
    endpoint &&
    html`<p><strong dir="auto">${endpoint.model}</strong> at <code class="id">${endpoint.url}</code></p>`;
  const sent = endpoint?.consent
    ? `Titles, bodies and the words of searches are sent to ${endpoint.consent.host}, as you allowed.`
    : "No text leaves this machine.";
  return html`<p>${MEANING[kind]} ${kind === "off" ? "" : sent}</p>${place ?? ""}
${kind === "off" ? "" : html`<p class="small">${formatNumber(embedded_count)} of ${formatNumber(record_count)} records are embedded.</p>`}
${when(failure, ({ message, at }) => html`<p class="small">${message} ${renderTime(at)}</p>`)}
<p class="small">Change it with <code>npx rungs embeddings${command_options}</code>.</p>`;
}

function renderSession(request: OwnerRequest, { session_id, agent, created_at, used_at }: Session): Html {
  const isThis = session_id === request.session.session_id;
  return html`<li><span title="${agent}">${nameBrowser(agent)}${isThis ? html` <strong>this one</strong>` : ""}</span>
<span class="small">since ${renderTime(created_at)}, last seen ${renderTime(used_at)}</span>
${isThis ? "" : renderPostButton(request, "/console/settings/sessions", html`End<span class="hidden"> the session of ${nameBrowser(agent)}</span>`, { fields: { session_id }, look: "danger" })}</li>`;
}

function placeOf({ query }: OwnerRequest, name: string) {
  return { query, path: "/console/settings", name, most_bytes: LIST_BYTES };
}

async function renderTokens(request: OwnerRequest, tokens: readonly TokenSummary[]): Promise<Html> {
  if (tokens.length === 0) return html`<p>There are no tokens.</p>`;
  const { rows, pages } = await renderRowPage(placeOf(request, "tokens"), tokens, (each) =>
    renderToken(request, each),
  );
  return html`<p class="small">Every valid token. A client under a grant can get another token: to end its access, <a href="/console/grants">revoke its grant</a>.</p>
<ul class="rows">${rows}</ul>${pages}`;
}

function renderToken(
  request: OwnerRequest,
  { token_id, kind, client_id, created_at, expires_at }: TokenSummary,
): Html {
  const end = { look: "danger", fields: { token_id } } as const;
  return html`<li><span><strong dir="auto">${client_id}</strong> ${KINDS[kind]} <code class="id">${token_id}</code></span>
<span class="small">${when(created_at, (time) => html`since ${renderTime(time)}, `)}${expires_at === undefined ? "without expiry" : html`until ${renderTime(expires_at)}`}</span>
${renderPostButton(request, "/console/settings/tokens", html`End<span class="hidden"> the token ${token_id}</span>`, end)}</li>`;
}

function renderPassword(request: OwnerRequest, has_password: boolean, may_change: boolean): Html {
  const remove = { look: "quiet", fields: { do: "remove" } } as const;
  const state = html`<p>${has_password ? WITH_PASSWORD : html`No password is set: only a link from <code>npx rungs login-link${request.context.command_options}</code> signs in. Set one if you sign in from another machine.`}</p>`;
  if (!may_change)
    return html`${state}<p class="small">To change passkeys or the password, <a href="/console/sign-in?next=/console/settings">sign in again</a>.</p>`;
  return html`${state}
<form method="post" action="/console/settings/password" class="card">${renderCsrfField(request)}
<label for="password">${has_password ? "A new password" : "Password"}, 12 characters or more</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" required>
<button>Set the password</button></form>
${when(has_password, () => renderPostButton(request, "/console/settings/password", "Remove the password", remove))}`;
}

/** Names a browser by its `User-Agent`, in words that its owner recognizes. */

/** The first match wins: browsers also name their ancestors. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bHeadlessChrome\//, "Chrome without a window"],
  [/\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/\bcurl\//, "curl"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];
const SHOWN_CHARS = 60;

/** `Firefox on Linux`; the beginning of the text if it names no known browser. */
export function nameBrowser(agent: string): string {
  const find = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser === undefined) return agent === "" ? "A browser without a name" : agent.slice(0, SHOWN_CHARS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
