/** Why a grant shows a record and its fields, or does not: rule by rule (R84), as `rungs grant explain` says it. */
import { ApiError, formatRecordPage } from "@rungs/contract";
import { formatRecordId, parseRecordId, type RecordRef } from "@rungs/evidence";
import { type Explanation, explainRecord, isGrantActive, listGrants } from "@rungs/server";
import type { StoredGrant } from "@rungs/store";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Show } from "../request/route.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { renderOptions } from "../ui/options.ts";
import { ROWS_BYTES, renderRowPage } from "../ui/row-pages.ts";

const PATH = "/console/explain";
const RESULT = "explanation";

/** The page that explains a record to a grant; without a grant, whether each active one shows it. */
export const showExplain: Show = async (request) => {
  const { context, query } = request;
  const [grant_id, record] = [query("grant"), query("record")];
  const grants = (await listGrants(context)).filter((each) => isGrantActive(each, context.now()));
  const names = grants.map(({ grant }) => [grant.grant_id, nameGrant(grant)] as const);
  const body = html`<p class="small crumbs"><a href="/console/grants">Grants</a> › Who sees what</p>
<p class="lead">Why an agent sees a record or a field, or does not. “Who can see it” at the foot of a record leads here.</p>
<form class="find" action="${PATH}" data-live="${RESULT}">
<label>Grant <select name="grant">${renderOptions([["", "Every active grant"], ...names], grant_id)}</select></label>
<label>Record <input name="record" type="search" autocomplete="off" required placeholder="CONNECTION/STREAM:KEY" value="${record ?? ""}"></label><button>Explain</button></form>
<div id="${RESULT}">${record === undefined ? "" : await renderResult(request, { grant_id, record, grants })}</div>`;
  return { title: "Who sees what, and why", body };
};

function nameGrant({ client, grant_id }: StoredGrant["grant"]): string {
  return `${client.name ?? client.client_id} (${grant_id.slice(0, 12)}…)`;
}

interface Asked {
  readonly grant_id: string | undefined;
  readonly record: string;
  readonly grants: readonly StoredGrant[];
}

async function renderResult(request: OwnerRequest, { grant_id, record, grants }: Asked): Promise<Html> {
  const ref = parseRef(record);
  if (!ref)
    return html`<p role="status">A record is named as <code>CONNECTION/STREAM:KEY</code>; its page has it at the end.</p>`;
  try {
    const link = html`<p><a href="${formatRecordPage(ref)}"><code class="id">${formatRecordId(ref)}</code></a></p>`;
    if (grant_id !== undefined)
      return html`${link}${await renderExplanation(request, await explainRecord(request.context, grant_id, ref))}`;
    return html`${link}${await renderGrants(request, ref, grants)}`;
  } catch (error) {
    if (error instanceof ApiError) return html`<p role="status">${error.message}</p>`;
    throw error;
  }
}

function parseRef(text: string): RecordRef | undefined {
  try {
    const { connection_id, stream, record_id } = parseRecordId(text);
    return connection_id === undefined || stream === undefined
      ? undefined
      : { connection_id, stream, record_id };
  } catch {
    return undefined;
  }
}

async function renderGrants(
  { context, query }: OwnerRequest,
  ref: RecordRef,
  grants: readonly StoredGrant[],
): Promise<Html> {
  const place = {
    query,
    path: withQuery(PATH, { record: formatRecordId(ref) }),
    name: "from",
    most_bytes: ROWS_BYTES / 2,
  };
  const { rows, pages } = await renderRowPage(place, grants, async ({ grant }) => {
    const { is_visible, rules } = await explainRecord(context, grant.grant_id, ref);
    const why = rules.find(({ allows }) => !allows)?.rule;
    const path = withQuery(PATH, { grant: grant.grant_id, record: formatRecordId(ref) });
    return html`<li class="${is_visible ? "seen" : "unseen"}"><a href="${path}" dir="auto">${nameGrant(grant)}</a>
<span class="small">${is_visible ? "sees it" : "does not see it"}${when(why, (rule) => html`. Not met: “${rule}”`)}</span></li>`;
  });
  if (rows.length === 0) return html`<p>There is no active grant: no agent sees it.</p>`;
  return html`<ul class="rows">${rows}</ul>${pages}`;
}

async function renderExplanation(
  { query }: OwnerRequest,
  { is_visible, rules, fields }: Explanation,
): Promise<Html> {
  const path = withQuery(PATH, { grant: query("grant"), record: query("record") });
  const placeOf = (name: string) => ({ query, path, name, most_bytes: ROWS_BYTES / 2 });
  const tested = await renderRowPage(
    placeOf("rules"),
    // The rules that hide the record come first.
    rules.toSorted((a, b) => Number(a.allows) - Number(b.allows)),
    ({ rule, allows }) =>
      html`<tr><th scope="row" dir="auto">${rule}</th><td>${allows ? "yes" : html`<strong class="warn">no</strong>`}</td></tr>`,
  );
  const shown = await renderRowPage(
    placeOf("from"),
    fields,
    (field) =>
      html`<tr><th scope="row">${field.field}</th><td>${field.is_visible ? (field.is_masked ? "it, masked" : "it as it is") : "nothing: the grant leaves it out"}</td></tr>`,
  );
  return html`<p class="lead"><strong>${is_visible ? "The grant shows this record." : "The grant does not show this record."}</strong></p>
<table><thead><tr><th scope="col">Rule</th><th scope="col">Met</th></tr></thead><tbody>${tested.rows}</tbody></table>${tested.pages}
${when(
  is_visible,
  () =>
    html`<h2>Fields</h2><table><thead><tr><th scope="col">Field</th><th scope="col">Agent sees</th></tr></thead><tbody>${shown.rows}</tbody></table>${shown.pages}`,
)}`;
}
