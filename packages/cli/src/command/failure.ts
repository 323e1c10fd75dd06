import { ServerUnreachable } from "@rungs/client";
import { describeRefusal } from "@rungs/contract";
import { CodedError, foldToLine } from "@rungs/evidence";
import { describeHere } from "./advice.ts";
import { BrokenOff, Exit, UsageError } from "./exit.ts";
import { describeSystem } from "./system-failure.ts";

/** A sentence for the person who typed the command, and an exit code for scripts. */
export interface Failure {
  readonly code: number;
  readonly sentence: string;
}

/** Explains anything thrown on one line, without control characters. */
export function explainFailure(thrown: unknown): Failure {
  const { code, sentence } = describeThrown(thrown);
  return { code, sentence: foldToLine(sentence) };
}

function describeThrown(thrown: unknown): Failure {
  if (thrown instanceof UsageError) return { code: Exit.usage, sentence: thrown.message };
  if (thrown instanceof CodedError) return describeRefused(thrown);
  if (thrown instanceof BrokenOff) return { code: Exit.unreachable, sentence: thrown.message };
  if (thrown instanceof ServerUnreachable) {
    const next = "Start it there with rungs serve, or correct --url or RUNGS_URL.";
    return { code: Exit.unreachable, sentence: `${thrown.message} ${next}` };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code = String((thrown as { code?: unknown } | null)?.code ?? "");
  if (code.startsWith("ERR_PARSE_ARGS")) return { code: Exit.usage, sentence: shorten(message) };
  return { code: Exit.failed, sentence: describeSystem(thrown) ?? (message === "" ? code : message) };
}

/** Node's own message, without its advice on arguments that begin with a dash. */
function shorten(message: string): string {
  const line = message.replace(/\. To specify a positional.*$/, ".");
  return /[.?]$/.test(line) ? line : `${line}.`;
}

/** Maps a refusal to an exit code. */
export function chooseExit(status: number, code: string): number {
  if (code === "database_unavailable") return Exit.unreachable;
  return status === 401 ? Exit.unauthenticated : Exit.failed;
}

function describeRefused(refusal: CodedError): Failure {
  const { status, body } = describeRefusal(refusal);
  const { message, advice } = describeHere(body.error);
  return { code: chooseExit(status, body.error.code), sentence: `${message} ${advice}` };
}
