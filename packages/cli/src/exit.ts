import { ServerUnreachable } from "@rungs/client";
import { describeRefusal, errorRegistry } from "@rungs/contract";
import { Refusal } from "@rungs/evidence";

/** What the program's exit codes mean. */
export const Exit = {
  done: 0,
  failed: 1,
  usage: 2,
  unauthenticated: 3,
  unreachable: 4,
} as const;

/** A command that was written wrongly. */
export class UsageError extends Error {}

/** A transfer that ended early; its message says what to do. */
export class BrokenOff extends Error {}

/** A failure in words for whoever typed the command, and the exit code for whoever wrote a script. */
export interface Failure {
  readonly code: number;
  readonly sentence: string;
}

/** Says what anything thrown means to the person at the keyboard. */
export function describeFailure(thrown: unknown): Failure {
  if (thrown instanceof UsageError) return { code: Exit.usage, sentence: thrown.message };
  if (thrown instanceof Refusal) return describeRefused(thrown);
  if (thrown instanceof BrokenOff) return { code: Exit.unreachable, sentence: thrown.message };
  if (thrown instanceof ServerUnreachable) {
    const next = "Start it there with rungs serve, or correct --url or RUNGS_URL.";
    return { code: Exit.unreachable, sentence: `${thrown.message} ${next}` };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  if (code.startsWith("ERR_PARSE_ARGS")) return { code: Exit.usage, sentence: message };
  return { code: Exit.failed, sentence: message === "" ? code : message };
}

/** The exit code that stands for the status of a refusal. */
export function exitOf(status: number): number {
  if (status === errorRegistry.database_unavailable.status) return Exit.unreachable;
  return status === 401 ? Exit.unauthenticated : Exit.failed;
}

function describeRefused(refusal: Refusal): Failure {
  const { status, body } = describeRefusal(refusal);
  const { message, next } = body.error;
  return { code: exitOf(status), sentence: `${message} ${next}` };
}
