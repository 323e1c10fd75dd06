/** The records around one in its thread: a conversation, with its branches where records say what they answer (R66). */
import { formatRecordPage, type OutgoingRecord, presentRecord, type Thread } from "@rungs/contract";
import { type Html, html, when } from "../html.ts";
import { renderTime } from "../words.ts";
import { renderInitials } from "./person.ts";
import { describeRow } from "./row.ts";

/** Renders the conversation around a record, with links that continue either way; empty for a record in no thread. */
export function renderAround({ anchor, in_thread, data, has_before, has_after }: Thread): Html | string {
  if (!in_thread || data.length === 1) return "";
  const [first, last] = [data[0], data.at(-1)].map(
    (record) => record && presentRecord(record, 0).view.record,
  );
  const branches = findBranches(data, anchor);
  return html`<section class="around" id="around"><h2>Around this record</h2>
${when(has_before && first, (record) => html`<p class="pages"><a rel="prev" href="${formatRecordPage(record)}#around">Earlier</a></p>`)}
<ol class="talk">${data.map((record) => renderTurn(record, record.handle === anchor, branches))}</ol>
${when(has_after && last, (record) => html`<p class="pages"><a rel="next" href="${formatRecordPage(record)}#around">Later</a></p>`)}
</section>`;
}

function renderTurn(record: OutgoingRecord, isAnchor: boolean, branches: Branches): Html {
  const { title, snippet, actor, event_time, href } = describeRow(record);
  const branch = branches.get(record.handle);
  const notes = [
    ...(branch?.of === undefined ? [] : [`version ${branch.number} of ${branch.of}`]),
    ...(branch?.is_aside ? ["another branch"] : []),
    ...(isAnchor ? ["this record"] : []),
  ];
  const head = html`<p class="small turn-head">${when(actor, (name) => html`<strong dir="auto">${name}</strong> `)}${when(event_time, (time) => html`${renderTime(time)}`)}
${notes.length === 0 ? "" : ` · ${notes.join(" · ")}`}</p>`;
  return html`<li data-item class="${branch?.is_aside ? "aside" : ""}"${isAnchor ? html` aria-current="true"` : ""}>${renderInitials(actor ?? "")}
<div>${head}${isAnchor ? html`<strong dir="auto">${title}</strong>` : html`<a href="${href}" dir="auto">${title}</a>`}
${when(snippet, (text) => html`<p class="snippet" dir="auto">${text}</p>`)}</div></li>`;
}

/** Where a record is in the branches. */
interface Branch {
  /** Which of the answers to one record it is, from 1, and how many there are; absent for the only answer. */
  readonly number?: number;
  readonly of?: number;
  /** It neither leads to the record in question nor follows from it. */
  readonly is_aside: boolean;
}

/** The branches by the handles of their records. */
type Branches = ReadonlyMap<string, Branch>;

/** Finds the branches among the records of a thread, by the role `parent`; empty where none is declared. */
export function findBranches(records: readonly OutgoingRecord[], anchor: string): Branches {
  const parents = new Map(records.map((record) => [record.id, findParent(record)]));
  if (![...parents.values()].some((parent) => parent !== undefined)) return new Map();
  const answers = Map.groupBy(records, ({ id }) => parents.get(id) ?? "");
  const start = records.find(({ handle }) => handle === anchor)?.id ?? "";
  const ancestors = listAncestors(start, parents);
  return new Map(
    records.map(({ id, handle }) => {
      const siblings = answers.get(parents.get(id) ?? "") ?? [];
      const number = siblings.findIndex((each) => each.id === id) + 1;
      const is_aside = !ancestors.has(id) && !listAncestors(id, parents).has(start);
      const isOne = siblings.length < 2 || parents.get(id) === undefined;
      return [handle, { is_aside, ...(isOne ? {} : { number, of: siblings.length }) }];
    }),
  );
}

function findParent({ shapes = [], data }: OutgoingRecord): string | undefined {
  const field = shapes.find(({ role }) => role === "parent")?.name;
  const value = field === undefined ? undefined : data[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A record and those that it follows from. Ends at a record that answers itself. */
function listAncestors(id: string, parents: ReadonlyMap<string, string | undefined>): Set<string> {
  const found = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !found.has(at); at = parents.get(at))
    found.add(at);
  return found;
}
