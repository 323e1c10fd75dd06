import { type Command, type CommandOption, globalOptions } from "./command.ts";

/** Renders the list of commands. */
export function renderHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, operands = [], about }): Row => [[name, ...operands].join(" "), about]);
  return [
    "rungs: a personal data server that agents climb one bounded step at a time.",
    "",
    "Commands:",
    ...renderRows(rows),
    "",
    "rungs COMMAND --help says more. Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not authenticated, 4 not reachable.",
  ].join("\n");
}

/** Renders what one command takes. */
export function renderCommandHelp({ name, about, operands = [], options = {} }: Command): string {
  const usage = ["rungs", name, ...operands, "[options]"].join(" ");
  return [
    about,
    "",
    `Usage: ${usage}`,
    "",
    "Options:",
    ...renderRows([...listOptions(options), ...listOptions(globalOptions)]),
  ].join("\n");
}

type Row = readonly [left: string, right: string];

function listOptions(options: Readonly<Record<string, CommandOption>>): Row[] {
  return Object.entries(options).map(([name, { value, about, multiple, short }]) => [
    `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}${multiple ? " …" : ""}`,
    about,
  ]);
}

function renderRows(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
