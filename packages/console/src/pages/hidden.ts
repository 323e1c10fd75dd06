/** What no agent reads, whatever its grant allows (R81): the owner's rules, what each hides, and one record at a time. */
import { ApiError, type Exclusion, formatRecordPage, parseCondition } from "@rungs/contract";
import { expressionSchema, formatRecordId, parseRecordId, type RecordRef } from "@rungs/evidence";
import {
  addExclusion,
  countHidden,
  type ExclusionPreview,
  listExclusions,
  listSources,
  previewExclusion,
  removeExclusion,
  renderExclusion,
} from "@rungs/server";
import type { StoredExclusion } from "@rungs/store";
import { createStreamNamer } from "../figures/sources.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderPostButton } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { type Option, renderOptions } from "../ui/options.ts";
import { renderRowPage } from "../ui/row-pages.ts";
import { formatCount, formatNumber, renderDay } from "../ui/words.ts";

const PATH = "/console/hidden";
/** Counting what a rule hides reads whole streams: older rules have a link to their count instead. */
const PREVIEWED_RULES = 10;
const RULES_BYTES = 9_000;
/** A pattern is compared with the newest records only, so that the page loads fast. */
const COMPARED_RECORDS = 20_000;
const PREVIEW = "would-hide";

type Hides = Exclusion["hides"];

/** Every rule with what it hides, and a form to add one; the address may name a rule to preview. */
export const showHidden: Show = async (request) => {
  const { context, query } = request;
  const rules = (await listExclusions(context)).toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const place = { query, path: PATH, name: "from", most_bytes: RULES_BYTES };
  const { rows, pages } = await renderRowPage(place, rules, (rule, at) =>
    renderRule(request, rule, at < PREVIEWED_RULES || query("rule") === rule.rule_id),
  );
  const body = html`<p class="small crumbs"><a href="/console/grants">Grants</a> › Hidden</p>
<p class="lead">What no agent reads, whatever its grant allows. A rule takes effect with the next request.</p>
${rows.length === 0 ? html`<p>Nothing is hidden. You can hide a single record on its page.</p>` : html`<ul class="rows">${rows}</ul>${pages}`}
<h2>Hide more</h2>${await renderAdding(request)}`;
  return { title: "Hidden from all agents", body };
};

/** Adds a rule. */
export const addRuleByForm: Act = async (request, form) => {
  const hides = readHides((name) => form.get(name) ?? undefined);
  if (!hides)
    throw new ApiError("invalid_request", { param: "text", message: "The rule names nothing to hide." });
  await addExclusion(request.context, hides);
  return redirectTo(PATH);
};

/** Removes a rule, after which grants decide again. */
export const removeRuleByForm: Act = async ({ context }, form) => {
  await removeExclusion(context, form.get("rule_id") ?? "");
  return redirectTo(PATH);
};

/** Hides the record of a page from all agents, or undoes that, in one click. Idempotent. */
export const hideRecordByForm: Act = async (request, form) => {
  const { context } = request;
  const ref = requireRef(form.get("record") ?? "");
  const rule = await findRecordRule(request, ref);
  if (form.get("do") === "show") {
    if (rule) await removeExclusion(context, rule.rule_id);
  } else if (!rule) await addExclusion(context, { kind: "record", ...ref });
  return redirectTo(formatRecordPage(ref));
};

/** Renders the button that hides a record from all agents, or the one that undoes it. */
export async function renderHiding(request: OwnerRequest, ref: RecordRef): Promise<Html> {
  const record = formatRecordId(ref);
  const button = (label: string, doing: string, look: "quiet" | "main") =>
    renderPostButton(request, `${PATH}/record`, label, { look, fields: { record, do: doing } });
  if (await findRecordRule(request, ref))
    return html`<div class="notice hiding" role="status"><p>Hidden from all agents, and so is what belongs to it.</p>${button("Show it again", "show", "main")}</div>`;
  return html`<div class="hiding">${button("Hide this record from all agents", "hide", "quiet")}</div>`;
}

async function findRecordRule({ context }: OwnerRequest, ref: RecordRef): Promise<Exclusion | undefined> {
  return (await listExclusions(context)).find(
    ({ hides }) => hides.kind === "record" && formatRecordId(hides) === formatRecordId(ref),
  );
}

function requireRef(text: string): RecordRef {
  const { connection_id, stream, record_id } = parseRecordId(text);
  if (connection_id !== undefined && stream !== undefined) return { connection_id, stream, record_id };
  throw new ApiError("invalid_request", {
    param: "record",
    message: "A record is named as CONNECTION/STREAM:KEY.",
  });
}

async function renderRule(request: OwnerRequest, rule: StoredExclusion, isPreviewed: boolean): Promise<Html> {
  const { rule_id, created_at, hides, note } = rule;
  const words = renderExclusion(rule);
  const what =
    hides.kind === "record" ? html`<a href="${formatRecordPage(hides)}">${words}</a>` : html`${words}`;
  const hidden = rule.is_unfinished
    ? "Still being applied: until then agents cannot read the sources that it is about"
    : isPreviewed
      ? await renderCounts(request, { hidden: await countHidden(request.context, rule) })
      : html`<a href="${withQuery(PATH, { rule: rule_id })}">Count what it hides</a>`;
  return html`<li><div><strong dir="auto">${what}</strong>${when(note, (text) => html` <span class="small" dir="auto">${text}</span>`)}
<p class="small">${hidden} · since ${renderDay(created_at)}</p></div>
${renderPostButton(request, `${PATH}/remove`, html`Remove<span class="hidden"> the rule ${words}</span>`, { look: "danger", fields: { rule_id } })}</li>`;
}

async function renderCounts(
  { context }: OwnerRequest,
  { hidden, compared_count }: ExclusionPreview,
): Promise<Html> {
  const nameStream = await createStreamNamer(context);
  const partly =
    compared_count === undefined
      ? ""
      : ` Only the newest ${formatCount(compared_count, "record")} were compared; it may hide older ones too.`;
  if (hidden.length === 0) return html`It hides no record that is here now.${partly}`;
  return html`${hidden
    .map(
      ({ connection_id, stream, hidden_count, record_count }) =>
        `${nameStream(connection_id, stream)}, ${formatNumber(hidden_count)} of ${formatCount(record_count, "record")}`,
    )
    .join(" · ")}${partly === "" ? "" : `.${partly}`}`;
}

const KINDS: readonly Option[] = [
  ["person", "A person"],
  ["value", "A value"],
  ["pattern", "A pattern"],
  ["record", "A record"],
];

async function renderAdding(request: OwnerRequest): Promise<Html> {
  const { context, query } = request;
  const sources = (await listSources(context)).map(
    ({ connection_id, display_name }): Option => [connection_id, display_name],
  );
  return html`<form class="find" action="${PATH}" data-live="${PREVIEW}">
<label>What to hide <select name="kind">${renderOptions(KINDS, query("kind"))}</select></label>
<label>Its name or value <input name="text" type="search" autocomplete="off" value="${query("text") ?? ""}" required></label>
<label>A value or pattern in <select name="in">${renderOptions([["", "Every source"], ...sources], query("in"))}</select></label><button>Preview</button></form>
<p class="small">A person by name, address or @domain; a value such as <code>labels includes "private"</code>; a pattern in any text,
an RE2 expression such as <code class="short">(?i)oncolog</code>; a record by its id at the foot of its page.</p>
<div id="${PREVIEW}">${await renderWouldHide(request)}</div>`;
}

/** Previews the rule in the address, with the button that adds it. */
async function renderWouldHide(request: OwnerRequest): Promise<Html | string> {
  const { query } = request;
  try {
    const hides = readHides(query);
    if (!hides) return "";
    const preview = await previewExclusion(request.context, hides, { record_count: COMPARED_RECORDS });
    const counts = await renderCounts(request, preview);
    const fields = { kind: query("kind") ?? "", text: query("text") ?? "", in: query("in") ?? "" };
    return html`<div class="card"><p>It would hide <strong dir="auto">${renderExclusion({ hides })}</strong>: ${counts}</p>
${renderPostButton(request, PATH, "Hide this from all agents", { fields })}</div>`;
  } catch (error) {
    if (error instanceof ApiError) return html`<p class="small" role="status">${error.message}</p>`;
    throw error;
  }
}

function readHides(get: (name: string) => string | undefined): Hides | undefined {
  const text = get("text")?.trim() ?? "";
  const connection_id = get("in") || undefined;
  if (text === "") return undefined;
  switch (get("kind")) {
    case "record":
      return { kind: "record", ...requireRef(text) };
    case "value":
      return { kind: "value", condition: parseCondition(text), ...(connection_id ? { connection_id } : {}) };
    case "pattern":
      return {
        kind: "pattern",
        pattern: requireExpression(text),
        ...(connection_id ? { connection_id } : {}),
      };
    default:
      return { kind: "person", person: text };
  }
}

function requireExpression(text: string): string {
  const { error, data = "" } = expressionSchema.safeParse(text);
  if (error)
    throw new ApiError("invalid_request", {
      param: "text",
      message: `The pattern ${error.issues[0]?.message ?? "is not an RE2 expression"}.`,
    });
  return data;
}
