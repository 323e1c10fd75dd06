import type { Grant, GrantStream } from "@rungs/contract";
import { describeEvent, listAudit, listGrants, requireGrant, revokeGrant } from "@rungs/server";
import type { StoredGrant } from "@rungs/store";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderPostButton } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { formatCount, showDay, showTime } from "../ui/words.ts";

/** Every grant: what it covers, when it was last used, and its end. Those that stand come first. */
export const showGrants: Show = async (request) => {
  const now_ms = request.context.now();
  const grants = (await listGrants(request.context)).toSorted((a, b) =>
    b.grant.issued_at.localeCompare(a.grant.issued_at),
  );
  const [standing, over] = [
    grants.filter((each) => isStanding(each, now_ms)),
    grants.filter((each) => !isStanding(each, now_ms)),
  ];
  const cards: Html[] = [];
  for (const each of standing) cards.push(await renderGrant(request, each));
  const body = html`<p class="lead">Who may read what. A grant can be ended at any time, and ends with the next request.</p>
<p><a class="button" href="/console/grants/new">Make a grant</a></p>
${cards.length === 0 ? html`<p>No grant stands: nobody but you can read anything.</p>` : html`<div class="cards">${cards}</div>`}
${over.length === 0 ? "" : html`<h2>Ended</h2><ul class="rows">${over.map(renderEnded)}</ul>`}`;
  return { title: "Grants", body };
};

/** Asks once more before a grant is ended. */
export const confirmRevoke: Show = async (request) => {
  const { grant } = await requireGrant(request.context, request.param("grant_id"));
  const body = html`<p class="lead">${nameOf(grant)} will be refused from its next request on. This cannot be undone; you can make a new grant.</p>
${renderCover(grant)}
<div class="actions">${renderPostButton(request, `/console/grants/${grant.grant_id}/revoke`, "Revoke the grant", { look: "danger" })}
<a href="/console/grants">Keep it</a></div>`;
  return { title: `Revoke the grant of ${nameOf(grant)}?`, body };
};

/** Ends a grant. */
export const revoke: Act = async ({ context, param }) => {
  await revokeGrant(context, param("grant_id"));
  return redirectTo("/console/grants");
};

async function renderGrant({ context }: OwnerRequest, { grant }: StoredGrant): Promise<Html> {
  // A grant that stands has one row that is no read, its first: that it was made.
  const [newest] = await listAudit(context, { grant_id: grant.grant_id, limit: 1 });
  const last = newest && describeEvent(newest.operation) === undefined ? newest : undefined;
  const { grant_id, issued_at, expires_at, access_mode } = grant;
  const lasts = access_mode === "single_use" ? "for one token" : "until you end it";
  return html`<article class="card"><h2 dir="auto">${nameOf(grant)}</h2>
<p class="small">${lasts}${when(expires_at, (time) => html`, at the latest ${showTime(time)}`)}
· made ${showDay(issued_at)} · <code class="id">${grant_id}</code></p>
${renderCover(grant)}
<p class="small">${last ? html`Last used ${showTime(last.at)} · ${linkReads(grant)}` : "Never used."}</p>
<p><a class="button danger" href="/console/grants/${grant_id}/revoke">
Revoke<span class="hidden"> the grant of ${nameOf(grant)}</span></a></p></article>`;
}

function renderEnded({ grant, revoked_at }: StoredGrant): Html {
  const [how, time] =
    revoked_at === undefined ? ["expired", grant.expires_at ?? ""] : ["revoked", revoked_at];
  return html`<li><span dir="auto">${nameOf(grant)}</span>
<span class="small">${how} ${showTime(time)} · ${linkReads(grant)}</span></li>`;
}

function linkReads(grant: Grant): Html {
  const path = withQuery("/console/activity", { grant: grant.grant_id });
  return html`<a href="${path}">What ${nameOf(grant)} read</a>`;
}

/** What a grant covers, stream by stream. */
export function renderCover(grant: Grant): Html {
  const streams = grant.authorization_details.flatMap((detail) => detail.streams);
  return html`<ul class="cover">${streams.flatMap((stream) =>
    stream.instance_ids.map(
      (id) =>
        html`<li><strong>${id}/${stream.name}</strong> <span class="small">${limitsOf(stream)}</span></li>`,
    ),
  )}</ul>`;
}

function limitsOf({ fields, time_constraint, resources }: GrantStream): Html {
  const { since, until } = time_constraint ?? {};
  const from = when(since, (time) => html`; from ${showTime(time)}`);
  const before = when(until, (time) => html`; before ${showTime(time)}`);
  const only = when(resources, ({ length }) => html`; ${formatCount(length, "record")} only`);
  return html`${fields.join(", ")}${from}${before}${only}`;
}

function nameOf({ client }: Grant): string {
  return client.name ?? client.client_id;
}

function isStanding({ grant, revoked_at }: StoredGrant, now_ms: number): boolean {
  return revoked_at === undefined && !(Date.parse(grant.expires_at ?? "") <= now_ms);
}
