import type { CallWriter, Continuation } from "@rungs/evidence";

/** The default byte budget of an answer's text. */
export const TEXT_DEFAULT_BYTES = 7000;

/** What differs between the interfaces that print the same answer. */
export interface RenderOptions {
  /** Writes the next call: a tool call, a command line. */
  readonly write: CallWriter;
  /** A random word for each answer that marks where record text begins and ends. */
  readonly fence: string;
  /** The most UTF-8 bytes of the text. */
  readonly budget_bytes: number;
}

/** Renders an operation's answer as text; `call` is the call that it answers. */
export type Renderer<Answer> = (answer: Answer, call: Continuation, options: RenderOptions) => string;
