/** Presets: named choices that fill in the form. The form's choice can be saved as one. */
import { ApiError } from "@rungs/contract";
import {
  type ChoicePreview,
  describeGrantChoice,
  draftPreset,
  type GrantableStreams,
  listPresets,
  requirePreset,
  savePreset,
} from "@rungs/server";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Html, html } from "../ui/html.ts";
import { renderOptions } from "../ui/options.ts";
import type { SubmittedChoice } from "./read-choice.ts";

/** Renders the list of presets; nothing while there are none. */
export async function renderPresetChoice({ context }: OwnerRequest): Promise<Html | string> {
  const presets = await listPresets(context);
  if (presets.length === 0) return "";
  const names = presets.map(({ name }) => [name, name] as const);
  return html`<div class="finder"><label for="preset">Start from a preset</label><select id="preset" name="preset">${renderOptions([["", "Choose one"], ...names], undefined)}</select><button name="do" value="apply" formnovalidate>Use it</button></div>`;
}

/** Renders the control that saves the choice under a name. */
export function renderPresetSaving(): Html {
  return html`<details id="save" class="small"><summary>Save this choice as a preset</summary>
<div class="finder"><label for="preset_name">Its name, such as “project channel, 30 days”</label><input id="preset_name" name="preset_name" maxlength="80" autocomplete="off"><button name="do" value="save" formnovalidate>Save</button></div></details>`;
}

/** Reads the preset that the form names, without unavailable streams; undefined if it names none. */
export async function readPresetChoice(
  { context }: OwnerRequest,
  form: URLSearchParams,
  offered: readonly GrantableStreams[],
): Promise<SubmittedChoice | undefined> {
  const name = form.get("preset") ?? "";
  if (name === "") return undefined;
  const decision = describeGrantChoice(
    await draftPreset(context, await requirePreset(context, name)),
    context.now(),
  );
  const isOffered = ({ connection_id, stream }: { connection_id: string; stream: string }) =>
    offered.some(
      (each) => each.connection_id === connection_id && each.streams.some((one) => one.stream === stream),
    );
  return {
    decision: { ...decision, streams: decision.streams.filter(isOffered) },
    finds: new Map(),
    filter: "",
  };
}

/** Saves the form's choice as a preset; returns the message to show. */
export async function savePresetByForm(
  { context }: OwnerRequest,
  form: URLSearchParams,
  preview: ChoicePreview | undefined,
): Promise<string> {
  if (!preview) return "Choose something first, then save it as a preset.";
  const { details, masks, budget, expires_at_ms } = preview.order;
  try {
    const { name } = await savePreset(context, {
      name: form.get("preset_name") ?? "",
      details,
      masks,
      budget,
      lasts_ms: expires_at_ms === undefined ? undefined : expires_at_ms - preview.at_ms,
    });
    return `Saved as “${name}”.`;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
