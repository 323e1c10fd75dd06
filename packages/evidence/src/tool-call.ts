/** Continuations as tool calls in text: `read_record_field(id="…", field_path="…", offset_chars=4096)`. */
import { type Continuation, continuationSchema } from "./continuation.ts";
import { formatJsonLine } from "./text/one-line.ts";

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const VALUE = String.raw`${STRING}|\[(?:${STRING}(?:,${STRING})*)?\]|[-+.\deE]+|true|false`;
const CALL = new RegExp(String.raw`^([a-z_]+)\(((?:[a-z][a-z0-9_]*=(?:${VALUE})(?:, (?!\))|(?=\))))*)\)$`);
const ARGUMENT = new RegExp(`([a-z][a-z0-9_]*)=(${VALUE})(?:, |$)`, "g");

/** Writes a call on one line, its values as JSON, so that whoever sees only text can make it. */
export function formatToolCall({ operation, args }: Continuation): string {
  const written = Object.entries(args).map(([name, value]) => `${name}=${formatJsonLine(value)}`);
  return `${operation}(${written.join(", ")})`;
}

/** Reads a call that `formatToolCall` wrote, or gives undefined. */
export function parseToolCall(text: string): Continuation | undefined {
  const [, operation, written = ""] = CALL.exec(text) ?? [];
  try {
    const args = [...written.matchAll(ARGUMENT)].map(([, name, value]) => [name, JSON.parse(value!)]);
    return continuationSchema.safeParse({ operation, args: Object.fromEntries(args) }).data;
  } catch {
    return undefined;
  }
}
