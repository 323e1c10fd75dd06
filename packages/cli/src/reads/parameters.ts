/** An operation's parameters as words of a command line: one table for every command that reads. */
import { ApiError, type Operation, requireInput, toJsonSchema } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";
import type { CommandCall, CommandOption } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";

/** How a parameter is written: its flag, what stands for its value, and words where the contract has none. */
interface Flag {
  readonly flag?: string;
  readonly value: string;
  readonly about?: string;
}

const FLAGS: Readonly<Record<string, Flag>> = {
  connection_id: { flag: "connection", value: "ID" },
  stream: { value: "STREAM" },
  fields: { value: "A,B" },
  filter: { value: "FIELD=VALUE" },
  order: { value: "asc|desc" },
  order_by: { value: "FIELD" },
  limit: { value: "N" },
  cursor: { value: "CURSOR", about: "Where an answer before said to go on." },
  metric: { value: "METRIC", about: "count, count_distinct, min, max, sum or avg." },
  field: { value: "FIELD" },
  group_by: { value: "FIELD" },
  time_bucket: { value: "day|month|year" },
  q: { value: "TEXT", about: "Around the first place that has these words." },
  offset_chars: { flag: "offset", value: "N", about: "From this character on; 0 when left out." },
  limit_chars: {
    flag: "limit",
    value: "N",
    about: "How many characters; 4096 when left out, at most 16384.",
  },
  before_chars: { flag: "before", value: "N", about: "How many characters before the match; with --q." },
  after_chars: { flag: "after", value: "N", about: "How many characters after the match; with --q." },
};

/** Which parameters of an operation a command takes as words without a flag, and how its usage line shows them. */
export type Operands = Readonly<Record<string, string>>;

/** What a command reads: the operation, and its operands by parameter. */
export interface ReadShape {
  readonly operation: Operation;
  readonly operands: Operands;
}

/** The options of a command, made from its operation's input. */
export function listOptions(shape: ReadShape): Record<string, CommandOption> {
  const { properties = {}, required = [] } = toJsonSchema(shape.operation.input, "input");
  const options = listFlags(shape).map((name): [string, CommandOption] => {
    const schema = properties[name];
    const { type, description = "" } = typeof schema === "object" ? schema : {};
    const { value = "TEXT", about = description } = FLAGS[name] ?? {};
    const isNeeded = required.includes(name);
    return [
      flagOf(name),
      { type: "string", value, multiple: type === "array", about: `${about}${isNeeded ? " Needed." : ""}` },
    ];
  });
  return Object.fromEntries(options);
}

/** Reads the arguments of a command line by the operation's own schema; what does not fit is wrong usage. */
export function requireArguments(shape: ReadShape, call: CommandCall): Continuation["args"] {
  const { operation, operands } = shape;
  const words = Object.keys(operands).map((name, at) => ({ name, texts: call.operands.slice(at, at + 1) }));
  const flags = listFlags(shape).map((name) => ({ name, texts: textsOf(flagOf(name), call) }));
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

/** A record's stream is part of its id, so that no command takes both. */
function listFlags({ operation, operands }: ReadShape): string[] {
  const isRecord = "id" in operands;
  return Object.keys(operation.input.shape).filter(
    (name) => !(name in operands) && !(isRecord && name === "stream"),
  );
}

function flagOf(name: string): string {
  return FLAGS[name]?.flag ?? name.replaceAll("_", "-");
}

function describeWrongUse({ details }: ApiError, operands: Operands): UsageError {
  const { param = "", message = "" } = details;
  const shown = operands[param] ?? `--${flagOf(param)}`;
  const problem = message.startsWith(`${param}: `) ? message.slice(param.length + 2) : undefined;
  if (problem === undefined) return new UsageError(message);
  const isNumber = FLAGS[param]?.value === "N" && problem.includes("form");
  return new UsageError(`${shown} ${isNumber ? "takes a whole number." : problem}`);
}
