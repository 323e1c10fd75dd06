import { parseArgs } from "node:util";
import { type Command, type CommandCall, globalOptions, type Io } from "./command.ts";
import { commands } from "./commands/index.ts";
import { describeFailure, Exit, UsageError } from "./exit.ts";
import { renderCommandHelp, renderHelp } from "./help.ts";

/** Runs one command line and gives its exit code; failures become one sentence. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    const command = findCommand(argv);
    if (command) return await runCommand(command, argv.slice(command.name.split(" ").length), io);
    const isAsked = argv.length === 0 || argv[0] === "--help" || argv[0] === "-h" || argv[0] === "help";
    if (!isAsked) throw new UsageError(`There is no command ${argv[0]}; rungs --help lists them.`);
    io.out(renderHelp(commands));
    return Exit.done;
  } catch (error) {
    const { code, sentence } = describeFailure(error);
    io.err(`rungs: ${sentence}`);
    return code;
  }
}

/** `grant create` is found before `grant` would be. */
function findCommand(argv: readonly string[]): Command | undefined {
  const fits = ({ name }: Command) => name.split(" ").every((word, at) => argv[at] === word);
  return commands.filter(fits).sort((a, b) => b.name.length - a.name.length)[0];
}

async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  const { operands: names = [], options = {} } = command;
  const known = { ...options, ...globalOptions };
  const { values, positionals } = parseArgs({ args: [...argv], options: known, allowPositionals: true });
  if (values.help) {
    io.out(renderCommandHelp(command));
    return Exit.done;
  }
  const needed = names.filter((name) => !name.startsWith("[")).length;
  if (positionals.length < needed || positionals.length > names.length) {
    throw new UsageError(
      `rungs ${command.name} takes ${names.join(" ") || "no operands"}; see rungs ${command.name} --help.`,
    );
  }
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
