import type { ParseArgsOptionDescriptor } from "node:util";

/** An option of a command, with the words that `--help` shows. */
export interface CommandOption extends ParseArgsOptionDescriptor {
  readonly about: string;
  /** What stands for the value in the usage line. */
  readonly value?: string;
}

/** What is said of a command before it is loaded: starting the program loads the one command that was asked for. */
export interface CommandEntry {
  /** Such as `grant create`. */
  readonly name: string;
  /** What it does, in one sentence. */
  readonly about: string;
  /** What follows the name, such as `FILE`; each is needed but for those in brackets, which come last, and `…` may repeat. */
  readonly operands?: readonly string[];
  load(): Promise<Command>;
}

/** One command: its options and what it does. */
export interface Command {
  readonly options?: Readonly<Record<string, CommandOption>>;
  run(call: CommandCall): Promise<number>;
}

/** What a command is run with. */
export interface CommandCall {
  readonly operands: readonly string[];
  /** The value of an option; undefined when it was not given. */
  option(name: string): string | undefined;
  /** All values of an option that can be repeated. */
  options(name: string): readonly string[];
  flag(name: string): boolean;
  readonly io: Io;
}

/** Where a program's words go, and its environment. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether output goes to a terminal that shows colours. */
  readonly colour?: boolean | undefined;
  /** Shows how far long work is, in place of what it showed before; there only when somebody watches. */
  readonly watch?: ((line: string) => void) | undefined;
  /** Writes bytes to standard output; there only when it is no terminal. */
  readonly write?: ((bytes: Uint8Array) => Promise<void>) | undefined;
}

/** The options that every command takes. */
export const globalOptions: Readonly<Record<string, CommandOption>> = {
  home: { type: "string", value: "DIR", about: "where Rungs keeps its things (env RUNGS_HOME)" },
  database: {
    type: "string",
    value: "URL",
    about: "a file, sqlite:FILE or postgres://… (env RUNGS_DATABASE); HOME/rungs.db when left out",
  },
  json: { type: "boolean", about: "machine output: one JSON document" },
  help: { type: "boolean", short: "h", about: "this text" },
};
