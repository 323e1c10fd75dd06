/** How answers are written here: next steps as command lines, colours on a terminal alone, and nothing that moves its cursor. */
import { randomBytes } from "node:crypto";
import type { RenderOptions } from "@rungs/contract";
import { type CallWriter, formatCommandLine } from "@rungs/evidence";
import type { CommandCall } from "../command/command.ts";

/** What a renderer needs, and what is done to the text that it made. */
export interface Pen {
  readonly options: RenderOptions;
  finish(text: string): string;
}

/** A person scrolls: what a page holds is shown. */
const BUDGET_BYTES = 256_000;
const REPEATED = ["home", "database", "url", "token-file"] as const;
const [CYAN, BOLD, PLAIN] = ["\u001b[36m", "\u001b[1m", "\u001b[0m"];

/** Makes a pen for one answer. */
export function createPen(call: CommandCall): Pen {
  const fence = randomBytes(6).toString("hex");
  const write = createCallWriter(call);
  const options = { fence, budget_bytes: BUDGET_BYTES };
  if (!call.io.colour) return { options: { ...options, write }, finish: showControls };
  // Record text cannot guess the fence, so it cannot put on our colours.
  const [open, close] = [`‹${fence}›`, `‹/${fence}›`];
  return {
    options: { ...options, write: (next) => `${open}${write(next)}${close}` },
    finish: (text) =>
      showControls(text)
        .replaceAll(open, CYAN)
        .replaceAll(close, PLAIN)
        .replace(/⟦([^⟦⟧\n]*)⟧/g, `${BOLD}⟦$1⟧${PLAIN}`),
  };
}

/** Writes a next step with the same server, token and database as this command line, so that it works as it stands. */
export function createCallWriter({ option }: CommandCall): CallWriter {
  const same = REPEATED.flatMap((name) => {
    const value = option(name);
    return value === undefined ? [] : [[name.replaceAll("-", "_"), value] as const];
  });
  return ({ operation, args }) =>
    formatCommandLine({ operation, args: { ...args, ...Object.fromEntries(same) } });
}

/** Line breaks and tabs stay; any other control character of a record is shown, not obeyed. `--json` has it as it is. */
function showControls(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, (char) => `\\u{${char.charCodeAt(0).toString(16)}}`);
}
