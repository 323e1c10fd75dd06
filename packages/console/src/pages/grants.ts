import { type Grant, type GrantBudget, type GrantStream, renderCondition } from "@rungs/contract";
import { describeEvent, listAudit, listGrants, readUsage, requireGrant, revokeGrant } from "@rungs/server";
import type { GrantUsage, StoredGrant } from "@rungs/store";
import { describeMasks } from "../choice/limits.ts";
import { createStreamNamer, type StreamNamer } from "../figures/sources.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderPostButton } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { renderRowPage } from "../ui/row-pages.ts";
import { formatCount, formatNumber, formatSize, renderDay, renderTime } from "../ui/words.ts";

/** How many rows to scan for the last read, since changes to a grant are rows too; beyond them, it was long ago. */
const RECENT_ROWS = 20;
/** A wide grant covers more. */
const SHOWN_STREAMS = 10;
/** More would hide what matters: the streams. */
const [SHOWN_FIELDS, NAMED_FIELDS, LISTED_FIELDS] = [6, 4, 24];
/** The shares of the page for active and ended grants. */
const [ACTIVE_BYTES, ENDED_BYTES] = [11_000, 4_000];

/** Every grant: what it covers, when it was last used, and when it ends. Active grants come first. */
export const showGrants: Show = async (request) => {
  const now_ms = request.context.now();
  const grants = (await listGrants(request.context)).toSorted((a, b) =>
    b.grant.issued_at.localeCompare(a.grant.issued_at),
  );
  const [active, ended] = [
    grants.filter((each) => isActive(each, now_ms)),
    grants.filter((each) => !isActive(each, now_ms)),
  ];
  const nameStream = await createStreamNamer(request.context);
  const { query } = request;
  const place = { query, path: "/console/grants" };
  const cards = await renderRowPage({ ...place, name: "from", most_bytes: ACTIVE_BYTES }, active, (each) =>
    renderGrant(request, each, nameStream),
  );
  const past = await renderRowPage({ ...place, name: "ended", most_bytes: ENDED_BYTES }, ended, renderEnded);
  const body = html`<p class="lead">Who may read what. You can revoke a grant at any time; it ends with the next request.</p>
<p class="actions"><a class="button" href="/console/grants/new">Make a grant</a> <a href="/console/hidden">Hidden from all agents</a> <a href="/console/explain">Who sees what, and why</a></p>
${active.length === 0 ? html`<p>There is no active grant: nobody but you can read anything.</p>` : html`<div class="cards">${cards.rows}</div>${cards.pages}`}
${ended.length === 0 ? "" : html`<h2>Ended</h2><ul class="rows">${past.rows}</ul>${past.pages}`}`;
  return { title: "Grants", body };
};

/** Asks for confirmation before a grant is revoked. */
export const confirmRevoke: Show = async (request) => {
  const { grant } = await requireGrant(request.context, request.param("grant_id"));
  const body = html`<p class="lead">${chooseName(grant)} will be refused from its next request on. This cannot be undone; you can make a new grant.</p>
${renderCover(grant, await createStreamNamer(request.context))}
<div class="actions">${renderPostButton(request, `/console/grants/${grant.grant_id}/revoke`, "Revoke the grant", { look: "danger" })}
<a href="/console/grants">Keep it</a></div>`;
  return { title: `Revoke the grant of ${chooseName(grant)}?`, body };
};

/** Revokes a grant. */
export const revoke: Act = async ({ context, param }) => {
  await revokeGrant(context, param("grant_id"));
  return redirectTo("/console/grants");
};

async function renderGrant(
  request: OwnerRequest,
  { grant }: StoredGrant,
  nameStream: StreamNamer,
): Promise<Html> {
  const { context } = request;
  const rows = await listAudit(context, { grant_id: grant.grant_id, limit: RECENT_ROWS });
  const last = rows.find(({ operation }) => describeEvent(operation) === undefined);
  const { grant_id, issued_at, expires_at, access_mode } = grant;
  const lasts = access_mode === "single_use" ? "For one token" : "Until you revoke it";
  return html`<article class="card"><h2 dir="auto">${chooseName(grant)}</h2>
<p class="small">${lasts}${when(expires_at, (time) => html`, or until ${renderTime(time)}`)}
· made ${renderDay(issued_at)} · <code class="id">${grant_id}</code></p>
${renderCover(grant, nameStream)}
${await renderBudgetMeters(request, grant)}
<p class="small">${last ? html`Last used ${renderTime(last.at)} · ${linkReads(grant)}` : "Never used."}</p>
<p class="actions"><a class="button" href="/console/grants/${grant_id}/change">Change<span class="hidden"> the grant of ${chooseName(grant)}</span></a>
<a class="button danger" href="/console/grants/${grant_id}/revoke">
Revoke<span class="hidden"> the grant of ${chooseName(grant)}</span></a>
<a href="${withQuery("/console/explain", { grant: grant_id })}">Explain<span class="hidden"> what ${chooseName(grant)} sees</span></a></p></article>`;
}

function renderEnded({ grant, revoked_at }: StoredGrant): Html {
  const [how, time] =
    revoked_at === undefined ? ["expired", grant.expires_at ?? ""] : ["revoked", revoked_at];
  return html`<li><span dir="auto">${chooseName(grant)}</span>
<span class="small">${how} ${renderTime(time)} · ${linkReads(grant)}</span></li>`;
}

function linkReads(grant: Grant): Html {
  const path = withQuery("/console/activity", { grant: grant.grant_id });
  return html`<a href="${path}">What ${chooseName(grant)} read</a>`;
}

/** Renders what a grant covers, one line per stream. */
export function renderCover(grant: Grant, nameStream: StreamNamer): Html {
  const streams = grant.authorization_details.flatMap((detail) => detail.streams);
  const rows = streams.flatMap((stream) => stream.instance_ids.map((id) => ({ id, stream })));
  const rest = rows.slice(SHOWN_STREAMS);
  return html`<ul class="cover">${rows
    .slice(0, SHOWN_STREAMS)
    .map(
      ({ id, stream }) =>
        html`<li><strong dir="auto">${nameStream(id, stream.name)}</strong> <span class="small">${renderLimits(stream)}</span></li>`,
    )}${when(rest.length > 0, () => html`<li class="small">and ${formatCount(rest.length, "stream")} more: Change lists them all</li>`)}</ul>`;
}

function renderLimits({ fields, time_constraint, resources, where = [], masks }: GrantStream): Html {
  const { since, until } = time_constraint ?? {};
  const limits = [
    ...(since === undefined ? [] : [html`from ${renderTime(since)}`]),
    ...(until === undefined ? [] : [html`before ${renderTime(until)}`]),
    ...(resources === undefined ? [] : [html`${formatCount(resources.length, "record")} only`]),
    ...where.map((condition) => html`where <bdi>${renderCondition(condition)}</bdi>`),
    ...(masks === undefined ? [] : [html`without ${describeMasks(masks)}`]),
  ];
  return html`${limits.map((limit, at) => html`${at === 0 ? "" : "; "}${limit}`)}${limits.length > 0 && fields.length <= SHOWN_FIELDS ? "; " : ""}${renderFieldNames(fields)}`;
}

function renderFieldNames(fields: readonly string[]): Html {
  if (fields.length <= SHOWN_FIELDS) return html`${fields.join(", ")}`;
  const some = fields.slice(0, NAMED_FIELDS).join(", ");
  const rest = fields.length - LISTED_FIELDS;
  return html`<details><summary>${formatCount(fields.length, "field")}: ${some} …</summary>${fields.slice(0, LISTED_FIELDS).join(", ")}${when(rest > 0, () => html`, and ${formatNumber(rest)} more: Change lists them all`)}</details>`;
}

/** What people know the client of a grant by. */
export function chooseName({ client }: Grant): string {
  return client.name ?? client.client_id;
}

function isActive({ grant, revoked_at }: StoredGrant, now_ms: number): boolean {
  return revoked_at === undefined && !(Date.parse(grant.expires_at ?? "") <= now_ms);
}

/** How much of a grant's budget is used (R83). */
const LIMITS: readonly (readonly [keyof GrantBudget, keyof GrantUsage, string, (n: number) => string])[] = [
  ["records_per_day", "day_records", "Records today", formatNumber],
  ["records", "records", "Records in all", formatNumber],
  ["bytes_per_day", "day_bytes", "Bytes today", formatSize],
  ["bytes", "bytes", "Bytes in all", formatSize],
];

/** Renders a meter for each limit; nothing for a grant without a budget. Days begin at midnight UTC. */
async function renderBudgetMeters(
  { context }: OwnerRequest,
  { grant_id, budget }: Grant,
): Promise<Html | string> {
  if (!budget) return "";
  const usage = await readUsage(context, grant_id);
  return html`<ul class="meters">${LIMITS.flatMap(([limit, used, label, format]) => {
    const max = budget[limit];
    if (max === undefined) return [];
    const value = Number(usage[used]);
    return [
      html`<li><span id="${grant_id}-${limit}">${label}</span> <meter aria-labelledby="${grant_id}-${limit}" min="0" max="${max}" high="${max * 0.8}" optimum="0" value="${Math.min(value, max)}"></meter>
<span class="small">${format(value)} of ${format(max)}</span></li>`,
    ];
  })}</ul>`;
}
