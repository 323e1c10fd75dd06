/** `rungs preset …`: grants that the owner makes again and again, by name. */

import { renderCondition } from "@rungs/contract";
import { type GrantPreset, listPresets, removePreset, savePreset } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { nameWritten, readPreset, selectionOptions } from "../grants/grant-options.ts";
import { asOwner } from "../home/database.ts";

/** `rungs preset save`: what `rungs grant create --preset NAME` will give. */
export const presetSave: Command = {
  options: selectionOptions,
  async run(call) {
    const [name = ""] = call.operands;
    const preset = await asOwner(call, async (owner) =>
      savePreset(owner, await readPreset(call, owner, name)).catch((error) => {
        throw nameWritten(error, call);
      }),
    );
    if (call.flag("json")) call.io.out(JSON.stringify({ preset }));
    else call.io.out(`${preset.name}: ${renderPreset(preset)}`);
    return Exit.done;
  },
};

/** `rungs preset list`: every preset with what it allows. */
export const presetList: Command = {
  async run(call) {
    const presets = await asOwner(call, listPresets);
    const rows = presets.map((preset) => [preset.name, renderPreset(preset)]);
    if (call.flag("json")) call.io.out(JSON.stringify({ presets }));
    else call.io.out(renderTable(["PRESET", "ALLOWS"], rows));
    return Exit.done;
  },
};

/** `rungs preset remove`: forgets a preset. */
export const presetRemove: Command = {
  async run(call) {
    const [name = ""] = call.operands;
    await asOwner(call, (owner) => removePreset(owner, name));
    if (call.flag("json")) call.io.out(JSON.stringify({ name, removed: true }));
    else call.io.out(`${name} is removed. Grants that were made from it stay.`);
    return Exit.done;
  },
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** What a preset allows, on one line. */
function renderPreset({ details, masks, budget, lasts_ms, recent_ms }: GrantPreset): string {
  const own = (masks?.words?.length ?? 0) + (masks?.expressions?.length ?? 0);
  const masked = [...(masks?.kinds ?? []), ...(own === 0 ? [] : [`${own} own words`])];
  return [
    details.flatMap((detail) => (detail.streams ?? []).map(renderStream)).join(", "),
    ...(recent_ms === undefined ? [] : [`records of the last ${renderDuration(recent_ms)}`]),
    ...(masked.length === 0 ? [] : [`masks ${masked.join(", ")}`]),
    ...Object.entries(budget ?? {}).map(([limit, most]) => `at most ${most} ${limit.replaceAll("_", " ")}`),
    lasts_ms === undefined ? "until revoked" : `lasts ${renderDuration(lasts_ms)}`,
  ].join("; ");
}

type PresetStream = NonNullable<GrantPreset["details"][number]["streams"]>[number];

function renderStream({ name, instance_ids = [], fields, where = [], resources }: PresetStream): string {
  const chosen = fields ? `:${fields.join(",")}` : "";
  const limits = [
    ...where.map((condition) => ` where ${renderCondition(condition)}`),
    ...(resources ? [` (${resources.length} records)`] : []),
  ];
  return `${instance_ids.map((id) => `${id}/${name}${chosen}`).join(", ")}${limits.join("")}`;
}

function renderDuration(ms: number): string {
  if (ms % DAY_MS === 0) return `${ms / DAY_MS} days`;
  return ms % HOUR_MS === 0 ? `${ms / HOUR_MS} hours` : `${Math.round(ms / 60_000)} minutes`;
}
