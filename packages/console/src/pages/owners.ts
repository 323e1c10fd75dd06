/** The administrator's page: who has data on this server, how much, and how much they may have. It never shows the data. */
import { ApiError } from "@rungs/contract";
import {
  changeOwner,
  type Invitation,
  inviteOwner,
  listOwners,
  listServers,
  removeOwner,
  requireAccount,
  requireAdmin,
  type ServerStatus,
  withdrawInvitation,
} from "@rungs/server";
import type { OwnerAccount, OwnerQuota } from "@rungs/store";
import { confirmOwner, renderAskAgain } from "../request/ask-again.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderCsrfField, renderHiddenFields, renderPostButton } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { formatCount, formatSize, renderTime } from "../ui/words.ts";

const PATH = "/console/owners";
const MIB = 1024 ** 2;

/** The fields of a quota, each with its unit. */
const FIELDS = [
  { name: "records", label: "Records", unit: 1 },
  { name: "bytes", label: "Room in MiB", unit: MIB },
  { name: "requests", label: "Requests a minute", unit: 1 },
] as const;

export const showOwners: Show = async (request) => {
  await requireAdmin(request.context);
  return renderPage(request);
};

/** Shows the link of a new invitation, once. */
export const inviteByForm: Act = async (request, form) => {
  await requireAdmin(request.context);
  const name = form.get("name")?.trim() ?? "";
  const { base_url, context } = request;
  const { url } = await inviteOwner(context, { name, quota: readQuota(form), base_url });
  return renderPage(
    request,
    html`<section role="status"><h2>The invitation of ${name}</h2>
<p>Send this link to ${name}: it works once, and is shown only now.</p><pre class="copy" tabindex="0">${url}</pre></section>`,
  );
};

export const withdrawByForm: Act = async ({ context }, form) => {
  await requireAdmin(context);
  await withdrawInvitation(context, form.get("name") ?? "");
  return redirectTo(PATH);
};

export const changeQuotaByForm: Act = async ({ context }, form) => {
  await requireAdmin(context);
  await changeOwner(context, form.get("name") ?? "", { quota: readQuota(form) });
  return redirectTo(PATH);
};

export const confirmRemove: Show = async (request) => {
  await requireAdmin(request.context);
  return renderRemoval(request, request.query("name") ?? "");
};

/** Removes an owner for good, after the administrator has typed the name again. */
export const removeByForm: Act = async (request, form) => {
  const { context } = request;
  await requireAdmin(context);
  const name = form.get("name") ?? "";
  if (form.get("confirm")?.trim() !== name)
    return renderRemoval(request, name, `Type ${name} exactly. Nothing was removed.`);
  await confirmOwner(request, form);
  await removeOwner(context, name);
  return redirectTo(PATH);
};

async function renderPage(request: OwnerRequest, news: Html | string = "") {
  const { owners, invitations } = await listOwners(request.context);
  const servers = await listServers(request.context);
  const body = html`<p class="lead">${formatCount(owners.length, "owner")} on this server. You see how much data each has, never the data itself.</p>
${news}
<section><h2>Owners</h2><ul class="rows">${owners.map((each) => renderOwner(request, each))}</ul></section>
${when(invitations[0], () => html`<section><h2>Invited</h2><ul class="rows">${invitations.map((each) => renderInvitation(request, each))}</ul></section>`)}
<section><h2>Invite somebody</h2>
<form method="post" action="${PATH}/invite" class="card">${renderCsrfField(request)}
<label for="name">Name <span class="small">(small letters and digits)</span></label>
<input id="name" name="name" autocomplete="off" autocapitalize="none" spellcheck="false" pattern="[a-z0-9]([a-z0-9._\\-]{0,62}[a-z0-9])?" required>
${renderQuotaFields("invited", {})}
<button class="main">Make the invitation</button></form></section>
${when(servers[0], () => html`<section><h2>Servers</h2><ul class="rows">${servers.map(renderServer)}</ul></section>`)}`;
  return { title: "Owners", body };
}

function renderOwner(request: OwnerRequest, account: OwnerAccount): Html {
  const { owner_id, created_at, is_admin, quota, usage } = account;
  const isSelf = owner_id === request.context.owner_id;
  return html`<li><span><strong>${owner_id}</strong>${is_admin ? " administers the server" : ""}</span>
<span class="small">${usage ? `${formatCount(usage.records, "record")}, ${formatSize(usage.bytes)}${isFull(account) ? ", full" : ""}` : "no size yet"}${when(created_at, (at) => html`, since ${renderTime(at)}`)}</span>
<details class="small"><summary>Quota<span class="hidden"> of ${owner_id}</span></summary>
<form method="post" action="${PATH}/quota">${renderCsrfField(request)}${renderHiddenFields({ name: owner_id })}
${renderQuotaFields(owner_id, quota)}<button>Set the quota</button></form>
${isSelf ? "" : html`<p><a href="${withQuery(`${PATH}/remove`, { name: owner_id })}">Remove ${owner_id}</a></p>`}</details></li>`;
}

function renderServer({
  host,
  address,
  state,
  version,
  requests_per_minute,
  seen_at,
  ...more
}: ServerStatus): Html {
  const { replica, last_error } = more;
  return html`<li><span><strong>${host}</strong> ${address}</span>
<span class="small">${state === "gone" ? html`gone without a word, last seen ${renderTime(seen_at)}` : state}, version ${version}, ${formatCount(requests_per_minute, "request")} a minute${when(replica, (it) => html`, its replica is ${it.state}`)}${when(last_error, ({ code, at }) => html`, last error ${code} ${renderTime(at)}`)}</span></li>`;
}

function renderInvitation(request: OwnerRequest, { owner_id, expires_at }: Invitation): Html {
  const withdraw = { look: "quiet", fields: { name: owner_id } } as const;
  return html`<li><strong>${owner_id}</strong> <span class="small">until ${renderTime(expires_at)}</span>
${renderPostButton(request, `${PATH}/withdraw`, html`Withdraw<span class="hidden"> the invitation of ${owner_id}</span>`, withdraw)}</li>`;
}

function renderQuotaFields(owner: string, quota: OwnerQuota): Html {
  return html`${FIELDS.map(({ name, label, unit }) => {
    const limit = quota[name];
    const value = limit === undefined ? "" : String(Math.floor(limit / unit));
    return html`<label for="${name}-${owner}">${label} <span class="small">(empty: no limit)</span></label>
<input id="${name}-${owner}" name="${name}" type="number" min="1" value="${value}">`;
  })}`;
}

function isFull({ quota, usage }: OwnerAccount): boolean {
  const { records = Infinity, bytes = Infinity } = quota;
  return usage !== undefined && (usage.records >= records || usage.bytes >= bytes);
}

function readQuota(form: URLSearchParams): OwnerQuota {
  const limits = FIELDS.flatMap(({ name, label, unit }) => {
    const text = form.get(name)?.trim() ?? "";
    if (text === "") return [];
    if (/^\d{1,12}$/.test(text)) return [[name, Number(text) * unit] as const];
    const message = `${label} takes a whole number.`;
    throw new ApiError("invalid_request", { param: name, message, next: "Correct it, or leave it empty." });
  });
  return Object.fromEntries(limits);
}

async function renderRemoval(request: OwnerRequest, name: string, problem?: string) {
  await requireAccount(request.context, name);
  const body = html`<p class="lead">${name} loses access at once, and every record, file, grant, source and row of the audit log is deleted for good.</p>
<p>Backups that were made before still hold them. The name cannot be given to anybody again.</p>
<form method="post" action="${PATH}/remove" class="card">${renderCsrfField(request)}${renderHiddenFields({ name })}
${problem === undefined ? "" : html`<p role="alert">${problem}</p>`}
<label for="confirm">Type <code class="id">${name}</code> to confirm</label>
<input id="confirm" name="confirm" autocomplete="off" required>
${(await renderAskAgain(request)) ?? ""}
<div class="actions"><button class="danger">Remove ${name} for good</button> <a href="${PATH}">Keep ${name}</a></div></form>`;
  return { title: `Remove ${name}?`, body };
}
