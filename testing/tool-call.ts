import { READ_NAMES } from "@rungs/contract";
import { type Continuation, continuationSchema } from "@rungs/evidence";

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const VALUE = String.raw`${STRING}|\[(?:${STRING}(?:,${STRING})*)?\]|[-+.\deE]+|true|false`;
const CALL = new RegExp(String.raw`^([a-z_]+)\(((?:[a-z][a-z0-9_]*=(?:${VALUE})(?:, (?!\))|(?=\))))*)\)$`);
const ARGUMENT = new RegExp(`([a-z][a-z0-9_]*)=(${VALUE})(?:, |$)`, "g");

/** Parses a tool call that `formatToolCall` wrote, as a model would read it. */
export function parseToolCall(text: string): Continuation | undefined {
  const [, operation = "", written = ""] = CALL.exec(text) ?? [];
  if (!READ_NAMES.some((name) => name === operation)) return undefined;
  try {
    const args = [...written.matchAll(ARGUMENT)].map(([, name, value]) => [name, JSON.parse(value!)]);
    return continuationSchema.safeParse({ operation, args: Object.fromEntries(args) }).data;
  } catch {
    return undefined;
  }
}
