import type { Continuation } from "@rungs/evidence";
import { foldToLine } from "@rungs/evidence";
import { keepLines } from "./fit.ts";
import type { RenderOptions } from "./options.ts";

/** An error as people read it; the registry of codes has the advice. */
export interface ErrorText {
  readonly code: string;
  readonly message: string;
  /** What to do next, in one sentence. */
  readonly advice?: string | undefined;
  /** Calls that would work instead. */
  readonly next?: readonly Continuation[] | undefined;
}

/** Renders an error as plain text: the code first, what to do next last. */
export function renderError(error: ErrorText, { write, budget_bytes }: Omit<RenderOptions, "fence">): string {
  const { code, message, advice = "", next = [] } = error;
  const first = [`${code}:`, foldToLine(message), foldToLine(advice)].filter((part) => part !== "").join(" ");
  return keepLines([first, ...next.map((call) => `try: ${write(call)}`)].join("\n"), budget_bytes);
}
