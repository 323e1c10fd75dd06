/** Narrowing of one chosen stream: values as removable chips, values to add, fields and times. */
import { type ConditionValue, renderCondition } from "@rungs/contract";
import type { ChosenStream, GrantableField, GrantableStream } from "@rungs/server";
import { type Html, html, when } from "../ui/html.ts";
import { type Option, renderOptions } from "../ui/options.ts";
import { formatNumber } from "../ui/words.ts";
import { type Choice, type FieldChoices, isPick, readPicked } from "./field-choices.ts";
import { formName } from "./read-choice.ts";

/** A chosen stream with its possible narrowings. */
interface NarrowedStream {
  /** `connection/stream`, as the form names it. */
  readonly name: string;
  readonly offered: GrantableStream;
  readonly chosen: ChosenStream;
  readonly choices: readonly FieldChoices[];
  readonly find: string;
  readonly has_masks: boolean;
}

/** The first fields are expanded; the others are collapsed. */
const OPEN_FIELDS = 2;
const MODES: readonly Option[] = [
  ["only", "only these"],
  ["not", "all but these"],
];

/** Renders the narrowing of a stream. */
export function renderNarrowing(narrowed: NarrowedStream): Html {
  const { name, offered, choices, find } = narrowed;
  const isOpen = (each: FieldChoices, at: number) =>
    at < OPEN_FIELDS || find !== "" || each.picked.length > 0;
  const open = choices.filter(isOpen);
  const folded = choices.filter((each, at) => !isOpen(each, at));
  return html`<div class="narrow">${renderChips(narrowed)}
${when(
  choices.length > 0,
  () => html`<div class="finder"><label for="${formName.find(name)}">Only some<span class="hidden"> of ${offered.label}</span>: find a conversation, person or value</label>
<input id="${formName.find(name)}" name="${formName.find(name)}" type="search" value="${find}" autocomplete="off"><button class="quiet" name="do" value="update" formnovalidate>Find<span class="hidden"> in ${offered.label}</span></button></div>
${open.map((each) => renderField(name, each))}
${when(find !== "" && open.every((each) => each.offered.length + each.picked.length === 0), () => html`<p class="small">Nothing here has “${find}”.</p>`)}
${when(folded.length > 0, () => html`<details id="more:${name}"><summary>By ${folded.map(({ label }) => label.toLowerCase()).join(", ")}</summary>${folded.map((each) => renderField(name, each))}</details>`)}`,
)}
${renderFields(narrowed)}</div>`;
}

/** Every condition as a chip; unticking one removes it. The client's own conditions stay. */
function renderChips({ name, offered, chosen, choices }: NarrowedStream): Html | string {
  const where = chosen.where ?? [];
  const picks = choices.flatMap(({ field, label, mode, picked }) =>
    picked.map((choice) => ({
      control: formName.pick(name, field),
      value: JSON.stringify(choice.value),
      words: `${label}${mode === "not" ? ", not" : ""}: ${choice.label}`,
    })),
  );
  const listed = new Set(
    choices.flatMap(({ field }) => (readPicked(where, field).values.length > 0 ? [field] : [])),
  );
  const others = where
    .filter((condition) => !isPick(condition) || !listed.has(condition.field))
    .map((condition) => ({
      control: formName.where(name),
      value: renderCondition(condition),
      words: renderCondition(condition),
    }));
  const chips = [...picks, ...others];
  if (chips.length + offered.requested_conditions.length === 0) return "";
  return html`<div class="chosen" role="group" aria-label="Narrowed to">${offered.requested_conditions.map((words) => html`<span class="chip on" title="The program asked for this">${words}</span>`)}
${chips.map(
  ({ control, value, words }) =>
    html`<label class="chip on"><input class="hidden" type="checkbox" name="${control}" value="${value}" checked><bdi>${words}</bdi> <span aria-hidden="true">×</span></label>`,
)}</div>`;
}

function renderField(
  stream: string,
  { field, label, mode, offered, picked, more_count, is_counted }: FieldChoices,
): Html {
  const control = formName.pick(stream, field);
  return html`<fieldset class="values"><legend>${label}</legend>${when(
    picked.length > 0,
    () =>
      html`<label class="mode"><span class="hidden">${label}: which records</span><select name="${formName.mode(stream, field)}">${renderOptions(MODES, mode)}</select></label>`,
  )}${offered.map((choice) => renderChoice(control, choice))}
${when(more_count > 0, () => html`<span class="small">and ${formatNumber(more_count)} more: find them above</span>`)}
${when(!is_counted && offered.length === 0, () => html`<span class="small">Too many to list: find them above.</span>`)}</fieldset>`;
}

function renderChoice(control: string, { value, label, record_count }: Choice): Html {
  return html`<label class="check"><input type="checkbox" name="${control}" value="${JSON.stringify(value satisfies ConditionValue)}"> <bdi>${label}</bdi>${when(record_count, (count) => html` <span class="count">${formatNumber(count)}</span>`)}</label>`;
}

function renderFields({ name, offered, chosen, has_masks }: NarrowedStream): Html {
  const { label, has_time, fields } = offered;
  const out = fields.length - fields.filter(({ name: field }) => chosen.fields.includes(field)).length;
  return html`<details id="fields:${name}"><summary>Fields${has_time ? " and times" : ""}<span class="hidden"> of ${label}</span>${out > 0 ? ` · ${out} left out` : ""}</summary>
<div class="shows">${fields.map((field) => renderFieldState(name, field, chosen, has_masks))}</div>
${has_time ? renderTimes(name, chosen) : ""}</details>`;
}

function renderFieldState(
  stream: string,
  { name: field, is_required, is_private }: GrantableField,
  { fields, plain_fields = [] }: ChosenStream,
  has_masks: boolean,
): Html {
  const isShown = is_required || fields.includes(field);
  const options: Option[] = [
    ["shown", has_masks ? "masked" : "shown"],
    ...(has_masks ? [["plain", "as it is"] as const] : []),
    ...(is_required ? [] : [["out", "left out"] as const]),
  ];
  const state = isShown ? (has_masks && plain_fields.includes(field) ? "plain" : "shown") : "out";
  const note = html`${is_private ? html` <span class="small warn">private</span>` : ""}`;
  if (options.length === 1)
    return html`<div class="show"><span>${field}${note}</span><span class="small">always</span></div>`;
  return html`<label class="show"><span>${field}${note}</span><select name="${formName.show(stream, field)}">${renderOptions(options, state)}</select></label>`;
}

function renderTimes(name: string, chosen: ChosenStream): Html {
  const day = (which: "since" | "until", label: string) => {
    const time = chosen[which];
    const control = formName[which](name);
    return html`<label>${label} <input type="date" name="${control}" value="${time?.slice(0, 10) ?? ""}"></label>
${time === undefined ? "" : html`<input type="hidden" name="${control}_was" value="${time}">`}`;
  };
  return html`<div class="times">${day("since", "From")}${day("until", "Before")}</div>`;
}
