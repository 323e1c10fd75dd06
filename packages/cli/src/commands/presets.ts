/** `rungs preset …`: grants that the owner makes again and again, by name. */
import { listPresets, removePreset, savePreset } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { nameAllowed } from "../grants/allowed-scope.ts";
import { readPreset, selectionOptions } from "../grants/grant-options.ts";
import { renderPreset } from "../grants/preset-text.ts";
import { asOwner } from "../home/database.ts";

/** `rungs preset save`: what `rungs grant create --preset NAME` will give. */
export const presetSave: Command = {
  options: selectionOptions,
  async run(call) {
    const [name = ""] = call.operands;
    const preset = await asOwner(call, async (owner) =>
      savePreset(owner, await readPreset(call, owner, name)).catch((error) => {
        throw nameAllowed(error, call.options("allow"));
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
