/** The options and arguments of a read command, from its operation's input schema. */
import { ApiError, type Operation, requireInput, toJsonSchema } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";
import type { CommandCall, CommandOption } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { FLAGS, formatFlag } from "../command/flags.ts";

/** Parameters without a flag, and their names in the usage line. */
type Operands = Readonly<Record<string, string>>;

/** An operation, and the parameters that its command takes as operands. */
export interface ReadShape {
  readonly operation: Operation;
  readonly operands: Operands;
}

/** Lists the options of a command from its operation's input schema. */
export function listOptions(shape: ReadShape): Record<string, CommandOption> {
  const { properties = {}, required = [] } = toJsonSchema(shape.operation.input, "input");
  const options = listFlags(shape).map((name): [string, CommandOption] => {
    const schema = properties[name];
    const { type, description = "", enum: values } = typeof schema === "object" ? schema : {};
    const { value = values?.join("|") ?? "TEXT", about = description } = FLAGS[name] ?? {};
    const isNeeded = required.includes(name);
    return [
      formatFlag(name),
      { type: "string", value, multiple: type === "array", about: `${about}${isNeeded ? " Required." : ""}` },
    ];
  });
  return Object.fromEntries(options);
}

/** Parses the arguments of a command line by the operation's input schema, or throws a `UsageError`. */
export function requireArguments(shape: ReadShape, call: CommandCall): Continuation["args"] {
  const { operation, operands } = shape;
  const words = Object.keys(operands).map((name, at) => ({ name, texts: call.operands.slice(at, at + 1) }));
  const flags = listFlags(shape).map((name) => ({ name, texts: textsOf(formatFlag(name), call) }));
  const given = [...words, ...flags];
  const handle = given.find(({ name }) => name === "id")?.texts[0];
  const others = given.filter(({ name }) => name !== "id");
  const flat = { ...operation, path: "", headers: [], aliases: {}, input: pickInput(operation, others) };
  const query = others.flatMap(({ name, texts }) => texts.map((text) => [name, text] as const));
  try {
    const args = requireInput(flat, { path: {}, query }) as Continuation["args"];
    return handle === undefined ? args : { id: handle, ...args };
  } catch (error) {
    throw error instanceof ApiError ? describeWrongUse(error, operands) : error;
  }
}

function textsOf(flag: string, { option, options }: CommandCall): readonly string[] {
  const text = option(flag);
  return text === undefined ? options(flag) : [text];
}

function pickInput({ input }: Operation, params: readonly { readonly name: string }[]): Operation["input"] {
  const mask: Record<string, true> = Object.fromEntries(params.map(({ name }) => [name, true]));
  return input.pick(mask as Parameters<typeof input.pick>[0]);
}

/** A record's id includes its stream, so a command that takes an id has no `--stream`. */
function listFlags({ operation, operands }: ReadShape): string[] {
  const isRecord = "id" in operands;
  return Object.keys(operation.input.shape).filter(
    (name) => !(name in operands) && !(isRecord && name === "stream"),
  );
}

function describeWrongUse({ details }: ApiError, operands: Operands): UsageError {
  const { param = "", message = "" } = details;
  const shown = operands[param] ?? `--${formatFlag(param)}`;
  const problem = message.startsWith(`${param}: `) ? message.slice(param.length + 2) : undefined;
  if (problem === undefined) return new UsageError(message);
  const isNumber = FLAGS[param]?.value === "N" && problem.includes("form");
  return new UsageError(`${shown} ${isNumber ? "takes a whole number." : problem}`);
}
