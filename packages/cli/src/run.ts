import { parseArgs } from "node:util";
import {
  type Command,
  type CommandCall,
  type CommandEntry,
  globalOptions,
  type Io,
} from "./command/command.ts";
import { Exit, UsageError } from "./command/exit.ts";
import { renderCommandHelp, renderGroupHelp, renderHelp } from "./command/help.ts";
import { readVersion } from "./command/version.ts";
import { commands } from "./commands/index.ts";

const HELP: readonly string[] = ["--help", "-h"];

/** Runs one command line and returns its exit code; prints a failure as one sentence. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    const words = argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
    const entry = findCommand(words);
    if (entry) return await runCommand(entry, words.slice(entry.name.split(" ").length), io);
    io.out(await answerWithoutCommand(words));
    return Exit.done;
  } catch (error) {
    const { explainFailure } = await import("./command/failure.ts");
    const { code, sentence } = explainFailure(error);
    io.err(`rungs: ${sentence}`);
    return code;
  }
}

/** Help and the version, or a usage error that suggests a command. */
async function answerWithoutCommand([word = "--help", ...rest]: readonly string[]): Promise<string> {
  if (HELP.includes(word)) return renderHelp(commands);
  if (["--version", "-v", "version"].includes(word)) return readVersion();
  const group = commands.filter(({ name }) => name.startsWith(`${word} `));
  if (group.length > 0 && rest.every((each) => HELP.includes(each))) return renderGroupHelp(group);
  const { suggestCommand } = await import("./command/suggest.ts");
  throw new UsageError(suggestCommand(commands, [word, ...rest]));
}

/** Prefers the longest match: `grant create` before `grant`. */
function findCommand(argv: readonly string[]): CommandEntry | undefined {
  const matches = ({ name }: CommandEntry) => name.split(" ").every((word, at) => argv[at] === word);
  return commands.filter(matches).sort((a, b) => b.name.length - a.name.length)[0];
}

async function runCommand(entry: CommandEntry, argv: readonly string[], io: Io): Promise<number> {
  const command = await entry.load();
  const known = { ...command.options, ...globalOptions };
  const { values, positionals } = parseOptions(entry, known, argv);
  if (values.help) {
    io.out(renderCommandHelp(entry, command));
    return Exit.done;
  }
  requireOperands(entry, positionals);
  const given: Readonly<Record<string, unknown>> = values;
  const call: CommandCall = {
    operands: positionals,
    option: (name) => (typeof given[name] === "string" ? given[name] : undefined),
    options: (name) => (Array.isArray(given[name]) ? given[name].map(String) : []),
    flag: (name) => given[name] === true,
    io,
  };
  return command.run(call);
}

/** Parses the options; an unknown one is refused with those that the command has. */
function parseOptions(
  { name }: CommandEntry,
  options: NonNullable<Command["options"]>,
  argv: readonly string[],
) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") throw error;
    const [unknown] = /'-[^']*'/.exec((error as Error).message) ?? [];
    const known = Object.keys(options).map((option) => `--${option}`);
    throw new UsageError(`rungs ${name} has no option ${unknown}; it has ${known.join(", ")}.`);
  }
}

function requireOperands({ name, operands = [] }: CommandEntry, given: readonly string[]): void {
  const needed = operands.filter((operand) => !operand.startsWith("[")).length;
  const most = operands.some((operand) => operand.includes("…")) ? Number.POSITIVE_INFINITY : operands.length;
  if (given.length >= needed && given.length <= most) return;
  throw new UsageError(
    `rungs ${name} takes ${operands.join(" ") || "no operands"}; see rungs ${name} --help.`,
  );
}
