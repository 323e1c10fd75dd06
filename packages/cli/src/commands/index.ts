import type { CommandEntry, CommandGroup, GroupEntry } from "../command/command.ts";
import { accessCommands } from "./entries/access.ts";
import { dataCommands } from "./entries/data.ts";
import { readCommands } from "./entries/read.ts";
import { startCommands } from "./entries/start.ts";
import { upkeepCommands } from "./entries/upkeep.ts";

const completion: GroupEntry = {
  name: "completion",
  about: "Prints the completion script of a shell: bash, zsh, fish or powershell.",
  operands: ["SHELL"],
  load: async () => (await import("../command/completion.ts")).createCompletion(commands),
};

const groups: Readonly<Record<CommandGroup, readonly GroupEntry[]>> = {
  Start: [...startCommands, completion],
  Data: dataCommands,
  Access: accessCommands,
  Upkeep: upkeepCommands,
  "Read under a grant": readCommands,
};

/** Every command, in the order of `--help`: first the owner's, then those that read under a token. */
export const commands: readonly CommandEntry[] = Object.entries(groups).flatMap(([group, entries]) =>
  entries.map((entry) => ({ ...entry, group: group as CommandGroup })),
);
