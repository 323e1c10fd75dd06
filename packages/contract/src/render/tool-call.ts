import { type Continuation, formatJsonLine } from "@rungs/evidence";

/** Writes a continuation as a tool call on one line, its values as JSON, so that a model can make it from the text alone. */
export function formatToolCall({ operation, args }: Continuation): string {
  const written = Object.entries(args).map(([name, value]) => `${name}=${formatJsonLine(value)}`);
  return `${operation}(${written.join(", ")})`;
}
