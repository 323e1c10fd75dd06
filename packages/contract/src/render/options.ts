import { type CallWriter, type Continuation, formatJsonLine } from "@rungs/evidence";

/** The default byte budget of an answer's text. */
export const TEXT_DEFAULT_BYTES = 7000;

/** What differs between the interfaces that print the same answer. */
export interface RenderOptions {
  /** Formats the next call, as a tool call or a command line. */
  readonly write: CallWriter;
  /** A random word for each answer that marks where record text begins and ends. */
  readonly fence: string;
  /** The most UTF-8 bytes of the text. */
  readonly budget_bytes: number;
}

/** Renders an operation's answer as text; `call` is the call that it answers. */
export type Renderer<Answer> = (answer: Answer, call: Continuation, options: RenderOptions) => string;

/** Writes a continuation as a tool call on one line, its values as JSON, so that a model can make it from the text alone. */
export function formatToolCall({ operation, args }: Continuation): string {
  const written = Object.entries(args).map(([name, value]) => `${name}=${formatJsonLine(value)}`);
  return `${operation}(${written.join(", ")})`;
}
