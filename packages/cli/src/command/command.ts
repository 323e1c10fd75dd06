import type { ParseArgsOptionDescriptor } from "node:util";

/** An option of a command, with its `--help` text. */
export interface CommandOption extends ParseArgsOptionDescriptor {
  readonly about: string;
  /** The placeholder for the value in the usage line. */
  readonly value?: string;
}

/** The headings of `--help`, in order. */
export const commandGroups = ["Start", "Data", "Access", "Upkeep", "Read under a grant"] as const;

/** A heading of `--help`. */
export type CommandGroup = (typeof commandGroups)[number];

/** What is known about a command before it is loaded: the program loads only the command that it runs. */
export interface CommandEntry {
  /** Such as `grant create`. */
  readonly name: string;
  /** One sentence for `--help`. */
  readonly about: string;
  /** The heading under which `--help` lists it. */
  readonly group: CommandGroup;
  /** Positional arguments, such as `FILE`. All are required except those in brackets, which come last; `…` repeats. */
  readonly operands?: readonly string[];
  load(): Promise<Command>;
}

/** An entry of the table of its group. */
export type GroupEntry = Omit<CommandEntry, "group">;

/** One command: its options and its implementation. */
export interface Command {
  /** More text for `--help`, below the usage line. */
  readonly details?: readonly string[];
  readonly options?: Readonly<Record<string, CommandOption>>;
  run(call: CommandCall): Promise<number>;
}

/** The parsed command line. */
export interface CommandCall {
  readonly operands: readonly string[];
  /** The value of an option; undefined if absent. */
  option(name: string): string | undefined;
  /** All values of a repeatable option. */
  options(name: string): readonly string[];
  flag(name: string): boolean;
  readonly io: Io;
}

/** Output and environment of the process. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Writes a line of a server's log to standard error without waiting for its reader; `err` by default. */
  readonly log?: ((line: string) => void) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is a terminal with colours. */
  readonly colour?: boolean | undefined;
  /** Replaces the progress line; set only on a terminal. */
  readonly watch?: ((line: string) => void) | undefined;
  /** Writes bytes to standard output; set only if it is not a terminal. */
  readonly write?: ((bytes: Uint8Array) => Promise<void>) | undefined;
}

/** The options that every command takes. */
export const globalOptions: Readonly<Record<string, CommandOption>> = {
  home: { type: "string", value: "DIR", about: "the data directory (env RUNGS_HOME)" },
  database: {
    type: "string",
    value: "URL",
    about: "a file, sqlite:FILE or postgres://… (env RUNGS_DATABASE); HOME/rungs.db by default",
  },
  owner: {
    type: "string",
    value: "NAME",
    about: "whose data, in a database with several owners (env RUNGS_OWNER); the first by default",
  },
  json: { type: "boolean", about: "machine output: one JSON document" },
  help: { type: "boolean", short: "h", about: "this text" },
};
