import type { CallWriter, Continuation } from "@rungs/evidence";

/** How many bytes the text half of an answer has when nobody says. */
export const TEXT_DEFAULT_BYTES = 7000;

/** What differs between the faces that print the same answer. */
export interface RenderOptions {
  /** Writes the next call: a tool call, a command line. */
  readonly write: CallWriter;
  /** A random word, new for every answer, that marks where record text begins and ends. */
  readonly fence: string;
  /** The most UTF-8 bytes that the text may have. */
  readonly budget_bytes: number;
}

/** Renders an operation's answer as text; `call` is the call that it answers. */
export type Renderer<Answer> = (answer: Answer, call: Continuation, options: RenderOptions) => string;
