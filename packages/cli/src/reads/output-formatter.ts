/** Formats answers for a terminal: next steps as command lines, colours, and no control characters of a record. */
import { randomBytes } from "node:crypto";
import type { RenderOptions } from "@rungs/contract";
import type { CallWriter } from "@rungs/evidence";
import type { CommandCall } from "../command/command.ts";
import { formatCommandLine } from "./command-line.ts";

/** The options of a renderer, and the last step on the text that it returns. */
export interface OutputFormatter {
  readonly options: RenderOptions;
  finish(text: string): string;
}

/** Large enough for a whole page: a person can scroll. */
const BUDGET_BYTES = 256_000;
const REPEATED = ["home", "database", "url", "token-file"] as const;
const [CYAN, BOLD, PLAIN] = ["\u001b[36m", "\u001b[1m", "\u001b[0m"];

/** Creates the formatter of one answer. */
export function createOutputFormatter(call: CommandCall): OutputFormatter {
  const fence = randomBytes(6).toString("hex");
  const write = createCallWriter(call);
  const options = { fence, budget_bytes: BUDGET_BYTES };
  if (!call.io.colour) return { options: { ...options, write }, finish: escapeControls };
  // Record text cannot guess the fence, so it cannot inject colours.
  const [open, close] = [`‹${fence}›`, `‹/${fence}›`];
  return {
    options: { ...options, write: (next) => `${open}${write(next)}${close}` },
    finish: (text) =>
      escapeControls(text)
        .replaceAll(open, CYAN)
        .replaceAll(close, PLAIN)
        .replace(/⟦([^⟦⟧\n]*)⟧/g, `${BOLD}⟦$1⟧${PLAIN}`),
  };
}

/** Writes a next step with the server, token and database of this command line, so that it runs unchanged. */
export function createCallWriter({ option }: CommandCall): CallWriter {
  const same = REPEATED.flatMap((name) => {
    const value = option(name);
    return value === undefined ? [] : [[name.replaceAll("-", "_"), value] as const];
  });
  return ({ operation, args }) =>
    formatCommandLine({ operation, args: { ...args, ...Object.fromEntries(same) } });
}

/** Escapes the control characters of a record, except line breaks and tabs. `--json` keeps them as they are. */
function escapeControls(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, (char) => `\\u{${char.charCodeAt(0).toString(16)}}`);
}
