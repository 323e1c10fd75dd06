/** A record that looks like what it is: a message, an event, a document or a card, by its declared roles. */
import { formatRecordPage, type PageRecord, splitQuotes } from "@rungs/contract";
import type { FieldView, RecordIdentity, Role } from "@rungs/evidence";
import { type Html, html, when } from "../html.ts";
import { renderRowPage } from "../row-pages.ts";
import { formatCount, renderTime } from "../words.ts";
import { formatFieldName, renderFieldRow, renderFields, renderFieldValue, renderReadOn } from "./fields.ts";
import { renderInitials } from "./person.ts";

interface Shown extends Arranged {
  readonly record: RecordIdentity;
  readonly card: PageRecord["card"];
  /** What belongs to the record, such as a message's attachments. */
  readonly attached: Html | string;
  /** The fields that no place is for, a page of them. */
  readonly rest: Html | string;
  readonly is_rest_asked: boolean;
}

/** The parameter that says with which of the other fields their list begins. */
const REST = "fields";
const REST_BYTES = 6_000;

const RENDER: Readonly<Record<Look, (shown: Shown) => Html>> = {
  message: renderMessage,
  event: renderEvent,
  document: renderDocument,
  card: renderCard,
};

/** Renders a record. The title is the page's own. */
export async function renderRecordView(
  { view, card }: PageRecord,
  attached: Html | string,
  query: (name: string) => string | undefined,
): Promise<Html> {
  const { record } = view;
  const arranged = arrangeFields(view.fields);
  const isKey = ({ preview }: FieldView) => preview === record.record_id;
  const keyLast = arranged.others.toSorted((a, b) => Number(isKey(a)) - Number(isKey(b)));
  const { rows, pages } = await renderRowPage(
    { query, path: formatRecordPage(record), name: REST, most_bytes: REST_BYTES },
    keyLast,
    (field) => renderFieldRow(record, field),
  );
  const rest = rows.length === 0 ? "" : html`<dl class="fields">${rows}</dl>${pages}`;
  const shown = { ...arranged, record, card, attached, rest, is_rest_asked: query(REST) !== undefined };
  return html`<article class="record ${shown.look}">${RENDER[shown.look](shown)}</article>`;
}

function renderMessage(shown: Shown): Html {
  const { record, card, byRole, files, attached } = shown;
  const actor = card.actor ?? "";
  return html`<header class="message-head">${renderInitials(actor)}
<div><strong class="who" dir="auto">${actor || "Nobody named"}</strong>${renderTimes(shown)}
${byRole("recipient").map((field) => renderLine(record, field))}
${["secondary" as const, "place" as const, "amount" as const].flatMap(byRole).map((field) => renderLine(record, field))}</div></header>
${byRole("body").map((field) => renderBody(record, field))}
${renderFields(record, files)}${attached}${renderRest(shown)}`;
}

function renderEvent(shown: Shown): Html {
  const { record, byRole, files, attached } = shown;
  const facts = (["place", "actor", "recipient", "secondary", "amount"] as const).flatMap(byRole);
  return html`<p class="when">${renderTimes(shown)}</p>
${renderFields(record, facts)}
${byRole("body").map((field) => renderBody(record, field))}
${renderFields(record, files)}${attached}${renderRest(shown)}`;
}

/** The text, with its file beside it. */
function renderDocument(shown: Shown): Html {
  const { record, byRole, files, attached } = shown;
  const facts = (["secondary", "actor", "recipient", "place", "amount"] as const).flatMap(byRole);
  return html`<p class="small">${renderTimes(shown)}</p>
<div class="beside"><div class="sheet">${byRole("body").map((field) => renderBody(record, field))}</div>
<aside aria-label="About this document">${renderFields(record, [...files, ...facts])}${attached}</aside></div>
${renderRest(shown)}`;
}

function renderCard(shown: Shown): Html {
  const { record, byRole, files, rest, card } = shown;
  const facts = (["secondary", "amount", "actor", "recipient", "place", "body"] as const).flatMap(byRole);
  const times = renderTimes(shown);
  return html`<div class="card-head">${renderInitials(card.title ?? record.record_id)}<div>${times}
${renderFields(record, [...facts, ...files])}${rest}</div></div>${shown.attached}`;
}

/** When it was, or when it begins and ends. */
function renderTimes({ byRole }: Shown): Html | string {
  const [start, end] = [byRole("event-time")[0]?.preview, byRole("end-time")[0]?.preview];
  return html`${when(start, (time) => html`<span class="times-of">${renderTime(time)}${when(end, (until) => html` – ${renderTime(until)}`)}</span>`)}`;
}

function renderLine(record: RecordIdentity, field: FieldView): Html {
  return html`<div class="line"><span class="small">${formatFieldName(field.path)}</span> ${renderFieldValue(record, field)}</div>`;
}

function renderRest({ rest, is_rest_asked }: Shown): Html | string {
  return rest === ""
    ? ""
    : html`<details class="rest"${is_rest_asked ? html` open` : ""}><summary>All other fields</summary>${rest}</details>`;
}

/** A shorter quotation stays open. */
const FOLDED_LINES = 3;

/** Renders the body of a record; a cut one has a link that reads on. */
function renderBody(record: RecordIdentity, field: FieldView): Html {
  const isCut = field.status === "truncated";
  const parts = splitQuotes(field.preview);
  // A body that only quotes would be empty.
  const isFolded = parts.length > 1;
  return html`<div class="body">${parts.map(({ text, is_quoted }) =>
    is_quoted ? renderQuote(text, isFolded) : html`<div class="text" dir="auto">${text}</div>`,
  )}${isCut ? html`<span class="small">…</span>` : ""}${renderReadOn(record, field)}</div>`;
}

function renderQuote(text: string, isFolded: boolean): Html {
  const lines = text.trimEnd().split("\n").length;
  const quote = html`<blockquote class="text" dir="auto">${text}</blockquote>`;
  if (!isFolded || lines <= FOLDED_LINES) return quote;
  return html`<details class="quote"><summary>${formatCount(lines, "quoted line")}</summary>${quote}</details>`;
}

/** How a record looks. */
type Look = "message" | "event" | "document" | "card";

/** The fields of a record by what its page does with them. */
interface Arranged {
  readonly look: Look;
  /** The fields of a role, in order of declaration. */
  readonly byRole: (role: Role) => readonly FieldView[];
  readonly files: readonly FieldView[];
  /** The fields that neither a role nor a file places. */
  readonly others: readonly FieldView[];
}

/** The roles that each look needs; the first whose roles are all there wins. */
const LOOKS: readonly (readonly [Look, readonly Role[]])[] = [
  ["event", ["event-time", "end-time"]],
  ["event", ["event-time", "place"]],
  ["message", ["actor", "body"]],
  ["document", ["body", "event-time"]],
];
/** Shown by their places in every look. */
const PLACED: ReadonlySet<Role | undefined> = new Set([
  "primary-title",
  "event-time",
  "end-time",
  "actor",
  "recipient",
  "place",
  "amount",
  "secondary",
  "body",
]);

/** Arranges the fields of a record. */
function arrangeFields(fields: readonly FieldView[]): Arranged {
  const has = (role: Role) => fields.some((field) => field.role === role);
  const [look] = LOOKS.find(([, roles]) => roles.every(has)) ?? (["card"] as const);
  return {
    look,
    byRole: (role) => fields.filter((field) => field.role === role && !field.binary),
    files: fields.filter(({ binary }) => binary),
    others: fields.filter(({ role, binary }) => !binary && !PLACED.has(role)),
  };
}
