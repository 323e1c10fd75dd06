import { countEdits } from "@rungs/evidence";
import type { CommandEntry } from "./command.ts";

const MAX_EDITS = 2;

/** Says that there is no such command, and which one may be meant. */
export function suggestCommand(commands: readonly CommandEntry[], words: readonly string[]): string {
  const names = commands.map(({ name }) => name);
  const groups = names.flatMap((name) => name.split(" ").slice(0, -1));
  const both = words.slice(0, 2).join(" ");
  const near = findNear(both, names) ?? findNear(words[0] ?? "", [...names, ...groups]);
  const advice = near ? `did you mean rungs ${near}?` : "rungs --help lists them.";
  return `There is no command ${both}; ${advice}`;
}

function findNear(given: string, names: readonly string[]): string | undefined {
  const counted = names.map((name) => ({ name, edits: countEdits(given, name, MAX_EDITS) }));
  return counted.filter(({ edits }) => edits <= MAX_EDITS).sort((a, b) => a.edits - b.edits)[0]?.name;
}
