/** Checkboxes for what a grant may cover: connections, their streams, and the fields and times of each. */
import type { ChosenStream, GrantableField, GrantableStream, GrantableStreams } from "@rungs/server";
import { type Html, html } from "./html.ts";

/** Renders everything grantable, with the chosen part checked. */
export function renderPicker(offered: readonly GrantableStreams[], chosen: readonly ChosenStream[]): Html[] {
  return offered.map(
    ({
      connection_id,
      display_name,
      streams,
    }) => html`<fieldset class="card" data-all><legend dir="auto">${display_name}</legend>
${streams.map((stream) => {
  const choice = chosen.find((each) => each.connection_id === connection_id && each.stream === stream.stream);
  return renderStream(`${connection_id}/${stream.stream}`, stream, choice);
})}</fieldset>`,
  );
}

/** Parses the checkboxes of a submitted form. */
export function readPicked(form: URLSearchParams): ChosenStream[] {
  const fields = form.getAll("field");
  return form.getAll("stream").flatMap((name) => {
    const [connection_id = "", stream = ""] = name.split("/");
    if (connection_id === "" || stream === "") return [];
    const own = fields.filter((field) => field.startsWith(`${name}:`));
    return [
      {
        connection_id,
        stream,
        fields: own.map((field) => field.slice(name.length + 1)),
        since: readDay(form, "since", name),
        until: readDay(form, "until", name),
      },
    ];
  });
}

function renderStream(
  name: string,
  { label, has_time, fields }: GrantableStream,
  choice: ChosenStream | undefined,
): Html {
  return html`<div class="stream"><label class="check"><input type="checkbox" name="stream" value="${name}"${choice ? html` checked` : ""}> ${label}</label>
<details><summary>Fields${has_time ? " and times" : ""}<span class="hidden"> of ${label}</span></summary>
<div class="checks" role="group" aria-label="Fields of ${label}">${fields.map((field) => renderField(name, field, choice))}</div>
${has_time ? renderTimes(name, choice) : ""}</details></div>`;
}

function renderField(
  name: string,
  { name: field, is_required, is_private }: GrantableField,
  choice: ChosenStream | undefined,
): Html {
  const is_chosen = is_required || (choice === undefined ? !is_private : choice.fields.includes(field));
  const state = html`${is_chosen ? html` checked` : ""}${is_required ? html` disabled` : ""}`;
  return html`<label class="check"><input type="checkbox" name="field" value="${name}:${field}"${state}> ${field}
${is_required ? html`<span class="small">always</span>` : ""}${is_private ? html`<span class="small warn">private</span>` : ""}</label>`;
}

function renderTimes(name: string, choice: ChosenStream | undefined): Html {
  const day = (which: "since" | "until", label: string) => {
    const time = choice?.[which];
    return html`<label>${label} <input type="date" name="${which}:${name}" value="${time?.slice(0, 10) ?? ""}"></label>
${time === undefined ? "" : html`<input type="hidden" name="${which}_was:${name}" value="${time}">`}`;
  };
  return html`<div class="times">${day("since", "From")}${day("until", "Before")}</div>`;
}

/** A day means its start in UTC; a time that the form showed as a day keeps its exact value. */
function readDay(form: URLSearchParams, which: "since" | "until", name: string): string | undefined {
  const day = form.get(`${which}:${name}`) ?? "";
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const was = form.get(`${which}_was:${name}`);
  return was?.slice(0, 10) === day ? was : `${day}T00:00:00.000Z`;
}
