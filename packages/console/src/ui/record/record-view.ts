/** A record in a fitting layout: a message, an event, a document or a card, by its declared roles. */
import { formatRecordPage, type PageRecord, splitQuotes } from "@rungs/contract";
import type { FieldView, RecordIdentity, Role } from "@rungs/evidence";
import { type Html, html, when } from "../html.ts";
import { renderRowPage } from "../row-pages.ts";
import { formatCount, renderTimes } from "../words.ts";
import { formatFieldName, renderFieldRow, renderFields, renderFieldValue, renderReadOn } from "./fields.ts";
import { findPicture } from "./file.ts";
import { renderInitials, renderPerson } from "./person.ts";

/** What is around a record on its page. */
export interface Surroundings {
  /** What belongs to the record, such as a message's attachments. */
  readonly attached: Html | string;
  /** The ids of the records that the page leads to. */
  readonly linked: readonly string[];
  /** The record serves others, like a conversation its messages: they come first. */
  readonly is_container: boolean;
}

interface Shown extends Arranged {
  readonly record: RecordIdentity;
  readonly card: PageRecord["card"];
  readonly attached: Html | string;
  /** The fields that describe a card, paginated. */
  readonly open: Html | string;
  /** The fields without a place in the layout, paginated and collapsed. */
  readonly rest: Html | string;
}

/** The parameters with the first field of each list. */
const [OPEN, REST] = ["fields", "others"];
const FIELDS_BYTES = 6_000;
/** A longer list or object is collapsed: what people look for is short. */
const SHORT_JSON_CHARS = 400;

const RENDER: Readonly<Record<Look, (shown: Shown) => Html>> = {
  message: renderMessage,
  event: renderEvent,
  document: renderDocument,
  card: renderCard,
};

/** Renders a record. The title is the page's own. */
export async function renderRecordView(
  { view, card }: PageRecord,
  { attached, linked, is_container }: Surroundings,
  query: (name: string) => string | undefined,
): Promise<Html> {
  const { record } = view;
  const arranged = arrangeFields(view.fields);
  const said = new Set([record.record_id, ...linked, ...arranged.files.flatMap(listFacts)]);
  const isTelling = ({ preview, kind }: FieldView) =>
    !said.has(preview) && !(kind === "json" && preview.length > SHORT_JSON_CHARS);
  const others = arranged.others.toSorted((a, b) => Number(isTelling(b)) - Number(isTelling(a)));
  const open = arranged.look === "card" && !is_container ? others.filter(isTelling) : [];
  const list = async (name: string, fields: readonly FieldView[]) => {
    const place = { query, path: formatRecordPage(record), name, most_bytes: FIELDS_BYTES };
    const { rows, pages } = await renderRowPage(place, fields, (field) => renderFieldRow(record, field));
    return rows.length === 0 ? "" : html`<dl class="fields">${rows}</dl>${pages}`;
  };
  const rest = await list(REST, others.slice(open.length));
  const fold = html`<details class="rest"${query(REST) === undefined ? "" : html` open`}><summary>All other fields</summary>${rest}</details>`;
  const shown: Shown = {
    ...arranged,
    record,
    card,
    attached,
    open: await list(OPEN, open),
    rest: rest === "" ? "" : fold,
  };
  return html`<article class="record ${shown.look}">${RENDER[shown.look](shown)}</article>`;
}

/** The fields already shown on the line of a file. */
function listFacts({ binary }: FieldView): string[] {
  return binary ? [String(binary.mime_type), String(binary.size_bytes), binary.filename ?? ""] : [];
}

function renderMessage(shown: Shown): Html {
  const { record, card, byRole, files, attached, rest } = shown;
  const actor = card.actor ?? "";
  return html`<header class="message-head">${renderInitials(actor)}
<div><span class="who" dir="auto">${actor === "" ? html`<strong>Nobody named</strong>` : renderPerson(actor)}</span>${renderTimesOf(shown)}
${byRole("recipient").map((field) => renderLine(record, field))}
${["secondary" as const, "place" as const, "amount" as const].flatMap(byRole).map((field) => renderLine(record, field))}</div></header>
${byRole("body").map((field) => renderBody(record, field))}
${renderFields(record, files)}${attached}${rest}`;
}

function renderEvent(shown: Shown): Html {
  const { record, byRole, files, attached, rest } = shown;
  const facts = (["place", "actor", "recipient", "secondary", "amount"] as const).flatMap(byRole);
  return html`<p class="when">${renderTimesOf(shown)}</p>
${renderFields(record, facts)}
${byRole("body").map((field) => renderBody(record, field))}
${renderFields(record, files)}${attached}${rest}`;
}

/** The text, with its file beside it. */
function renderDocument(shown: Shown): Html {
  const { record, byRole, files, attached, rest } = shown;
  const facts = (["secondary", "actor", "recipient", "place", "amount"] as const).flatMap(byRole);
  const aside = html`${renderFields(record, [...files, ...facts])}${attached}`;
  const text = byRole("body").map((field) => renderBody(record, field));
  const times = renderTimesOf(shown);
  return html`${times === "" ? "" : html`<p class="small">${times}</p>`}
${String(aside) === "" ? text : html`<div class="beside"><div class="sheet">${text}</div><aside aria-label="About this document">${aside}</aside></div>`}${rest}`;
}

/** A summary, its fields, then its notes. A record with a name and no time is a person, a group or a company. */
function renderCard(shown: Shown): Html {
  const { record, byRole, files, card, open, rest, attached } = shown;
  const facts = (["secondary", "amount", "actor", "recipient", "place"] as const).flatMap(byRole);
  const times = renderTimesOf(shown);
  const portrait = () =>
    when(files.map(findPicture)[0], (src) => html`<img class="initials" src="${src}" alt="">`) ||
    renderInitials(card.title ?? "");
  return html`<div class="card-head">${card.title !== undefined && times === "" ? portrait() : ""}<div>${times}
${renderFields(record, facts)}${open}${renderFields(record, [...byRole("body"), ...files])}</div></div>${attached}${rest}`;
}

/** When it was, or when it begins and ends. */
function renderTimesOf({ byRole }: Shown): Html | string {
  const [start, end] = [byRole("event-time")[0]?.preview, byRole("end-time")[0]?.preview];
  return when(start, (time) => html`<span class="times-of">${renderTimes(time, end)}</span>`);
}

function renderLine(record: RecordIdentity, field: FieldView): Html {
  return html`<div class="line"><span class="small">${formatFieldName(field.path)}</span> ${renderFieldValue(record, field)}</div>`;
}

/** A shorter quotation stays expanded. */
const FOLDED_LINES = 3;

/** Renders the body of a record; a cut one has a link that reads on. */
function renderBody(record: RecordIdentity, field: FieldView): Html {
  const isCut = field.status === "truncated";
  const parts = splitQuotes(field.preview);
  // A body of only quotations would look empty.
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

/** The layouts of records. */
type Look = "message" | "event" | "document" | "card";

/** The fields of a record by their place on the page. */
interface Arranged {
  readonly look: Look;
  /** The fields of a role, in order of declaration. */
  readonly byRole: (role: Role) => readonly FieldView[];
  readonly files: readonly FieldView[];
  /** The fields that neither a role nor a file places. */
  readonly others: readonly FieldView[];
}

/** The roles that each layout needs; the first with all of its roles wins. */
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
  const [found] = LOOKS.find(([, roles]) => roles.every(has)) ?? [];
  // A text without a title or a time is a text; with a title, it is a note about what the title names.
  const look = found ?? (has("body") && !has("primary-title") ? "document" : "card");
  return {
    look,
    byRole: (role) => fields.filter((field) => field.role === role && !field.binary),
    files: fields.filter(({ binary }) => binary),
    others: fields.filter(({ role, binary }) => !binary && !PLACED.has(role)),
  };
}
