/** The records around one in its thread: a conversation, with its branches where records say what they answer (R66). */
import { formatRecordPage, type OutgoingRecord, presentRecord, type Thread } from "@rungs/contract";
import { type Html, html, when } from "../html.ts";
import { renderTime } from "../words.ts";
import { renderInitials } from "./person.ts";
import { describeRow } from "./row.ts";

/** The size limit of the records around one, and the maximum length of each text. */
const [TALK_BYTES, TEXT_CHARS] = [13_000, 280];

/** Renders the conversation around a record, with links that continue either way; empty for a record in no thread. */
export function renderAround(thread: Thread): Html | string {
  if (!thread.in_thread || thread.data.length === 1) return "";
  return renderTalk(thread, "Around this record", thread.anchor);
}

/** Renders a conversation from its first record on; the branch is the one that it ended with. */
export function renderMembers(thread: Thread, heading: string): Html {
  return renderTalk(thread, heading, undefined);
}

function renderTalk(
  { anchor, data, has_before, has_after }: Thread,
  heading: string,
  current: string | undefined,
): Html {
  const branches = findBranches(data, current ?? data.at(-1)?.handle ?? "");
  const turns = data.map((record) => renderTurn(record, record.handle === current, branches));
  const [from, to] = findRoom(
    turns.map((turn) => Buffer.byteLength(String(turn))),
    data.findIndex(({ handle }) => handle === anchor),
  );
  const [first, last] = [data[from], data[to]].map(
    (record) => record && presentRecord(record, 0).view.record,
  );
  return html`<section class="around" id="around"><h2>${heading}</h2>
${when((has_before || from > 0) && first, (record) => html`<p class="pages"><a rel="prev" href="${formatRecordPage(record)}#around">Earlier</a></p>`)}
<ol class="talk">${turns.slice(from, to + 1)}</ol>
${when((has_after || to < data.length - 1) && last, (record) => html`<p class="pages"><a rel="next" href="${formatRecordPage(record)}#around">Later</a></p>`)}
</section>`;
}

/** The first and the last turn that fit the page, around the current one. */
function findRoom(sizes: readonly number[], anchor: number): readonly [from: number, to: number] {
  let [from, to] = [0, sizes.length - 1];
  let left_bytes = TALK_BYTES - sizes.reduce((sum, bytes) => sum + bytes, 0);
  while (left_bytes < 0 && to > from) {
    // Drop the farther one first.
    const out = anchor - from > to - anchor ? from++ : to--;
    left_bytes += sizes[out] ?? 0;
  }
  return [from, to];
}

function renderTurn(record: OutgoingRecord, isAnchor: boolean, branches: Branches): Html {
  const { title, snippet, actor, event_time, href } = describeRow(record, TEXT_CHARS);
  const branch = branches.get(record.handle);
  const notes = [
    ...(branch?.of === undefined ? [] : [`version ${branch.number} of ${branch.of}`]),
    ...(branch?.is_aside ? ["another branch"] : []),
    ...(isAnchor ? ["this record"] : []),
  ];
  const head = html`<p class="small turn-head">${when(actor, (name) => html`<strong dir="auto">${name}</strong> `)}${when(event_time, (time) => html`${renderTime(time)}`)}
${notes.length === 0 ? "" : ` · ${notes.join(" · ")}`}</p>`;
  return html`<li data-item class="${branch?.is_aside ? "aside" : ""}"${isAnchor ? html` aria-current="true"` : ""}>${renderInitials(actor ?? "")}
<div>${head}${isAnchor ? html`<strong dir="auto">${title}</strong>` : html`<a href="${href}"${snippet === undefined ? html` class="turn-text"` : ""} dir="auto">${title}</a>`}
${when(snippet, (text) => html`<p class="snippet" dir="auto">${text}</p>`)}</div></li>`;
}

/** The position of a record in the branches. */
interface Branch {
  /** Its number among the answers to the same record, from 1, and their count; absent for an only answer. */
  readonly number?: number;
  readonly of?: number;
  /** On another branch: neither an ancestor nor a descendant of the current record. */
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

/** A record and its ancestors. Stops at a record that answers itself. */
function listAncestors(id: string, parents: ReadonlyMap<string, string | undefined>): Set<string> {
  const found = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !found.has(at); at = parents.get(at))
    found.add(at);
  return found;
}
