import { describeRefusal, listRetries, renderError } from "@rungs/contract";
import { CodedError, type Continuation } from "@rungs/evidence";
import { describeHere } from "../command/advice.ts";
import type { CommandCall } from "../command/command.ts";
import { chooseExit } from "../command/failure.ts";
import { createCallWriter } from "./output-formatter.ts";

const ERROR_BYTES = 8_000;

/** Prints why a read was refused and which command would work instead; rethrows anything but a coded error. */
export function refuseRead(thrown: unknown, asked: Continuation, call: CommandCall): number {
  if (!(thrown instanceof CodedError)) throw thrown;
  const { request_id } = thrown.details;
  const { status, body } = describeRefusal(thrown, typeof request_id === "string" ? request_id : undefined);
  const { code } = body.error;
  const error = { code, ...describeHere(body.error), next: listRetries(body.error, asked) };
  if (call.flag("json")) call.io.out(JSON.stringify(body));
  const text = renderError(error, { write: createCallWriter(call), budget_bytes: ERROR_BYTES });
  call.io.err(`rungs: ${text}`);
  return chooseExit(status, code);
}
