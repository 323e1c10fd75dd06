import {
  type Command,
  type CommandEntry,
  type CommandOption,
  commandGroups,
  globalOptions,
} from "./command.ts";

/** Renders the list of commands under their headings. */
export function renderHelp(commands: readonly CommandEntry[]): string {
  const width = Math.max(...listCommands(commands).map(([left]) => left.length));
  return [
    "rungs: a personal data server that agents climb one bounded step at a time.",
    ...commandGroups.flatMap((heading) => [
      "",
      `${heading}:`,
      ...renderRows(listCommands(commands.filter(({ group }) => group === heading)), width),
    ]),
    "",
    "Examples:",
    "  rungs demo                          try it with sample data",
    "  rungs import ~/Downloads/mail.mbox  bring your own",
    '  rungs search "when is the boiler serviced"',
    "",
    "rungs help COMMAND shows its options. Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not authenticated, 4 not reachable.",
  ].join("\n");
}

/** Renders the commands that begin with the same word, such as `grant`. */
export function renderGroupHelp(commands: readonly CommandEntry[]): string {
  return ["Commands:", ...renderRows(listCommands(commands))].join("\n");
}

function listCommands(commands: readonly CommandEntry[]): Row[] {
  return commands.map(({ name, operands = [], about }) => [[name, ...operands].join(" "), about]);
}

/** Renders the help of one command. */
export function renderCommandHelp(entry: CommandEntry, { details = [], options = {} }: Command): string {
  return [
    entry.about,
    "",
    `Usage: ${renderUsage(entry)}`,
    "",
    ...(details.length === 0 ? [] : [...details, ""]),
    "Options:",
    ...renderRows([...listOptions(options), ...listOptions(globalOptions)]),
  ].join("\n");
}

/** Renders the usage line of a command. */
export function renderUsage({ name, operands = [] }: CommandEntry): string {
  return ["rungs", name, ...operands, "[options]"].join(" ");
}

/** Renders an option with its placeholder. */
export function renderOption(name: string, { value, multiple, short }: CommandOption): string {
  const words = value === undefined ? "" : ` ${value}`;
  return `${short === undefined ? "" : `-${short}, `}--${name}${words}${multiple ? " …" : ""}`;
}

type Row = readonly [left: string, right: string];

function listOptions(options: Readonly<Record<string, CommandOption>>): Row[] {
  return Object.entries(options).map(([name, option]) => [renderOption(name, option), option.about]);
}

function renderRows(rows: readonly Row[], width = Math.max(...rows.map(([left]) => left.length))): string[] {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
