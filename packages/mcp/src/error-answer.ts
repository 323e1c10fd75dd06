import type { CallToolResult } from "@modelcontextprotocol/server";
import { ServerUnreachable } from "@rungs/client";
import {
  ApiError,
  describeRefusal,
  type ErrorBody,
  formatToolCall,
  listRetries,
  renderError,
} from "@rungs/contract";
import { CodedError, type Continuation } from "@rungs/evidence";
import type { Backend } from "./backend.ts";

/** The `_meta` member with the machine-readable error. */
const ERROR_META = "dev.pdpp/error";

const ERROR_BYTES = 4_000;

/** An error as text and as a document. */
export interface DescribedError {
  readonly status: number;
  readonly error: ErrorBody["error"];
  readonly text: string;
  /** Calls that would work instead. */
  readonly next: readonly Continuation[];
}

/** Answers a call that failed: plain text that starts with the code and ends with what to do next. */
export function answerError(
  thrown: unknown,
  call: Continuation | undefined,
  backend: Pick<Backend, "report">,
): CallToolResult {
  const { error, text } = describeError(thrown, call, backend);
  return { isError: true, content: [{ type: "text", text }], _meta: { [ERROR_META]: error } };
}

/**
 * Describes anything thrown. Unexpected errors go to `report`, and the caller learns nothing about them (R53). `write`
 * formats the calls to try instead.
 */
export function describeError(
  thrown: unknown,
  call: Continuation | undefined,
  { report }: Pick<Backend, "report">,
  write = formatToolCall,
): DescribedError {
  const refusal = thrown instanceof ServerUnreachable ? describeUnreachable(thrown) : thrown;
  if (!(refusal instanceof CodedError)) report?.(thrown);
  const { status, body } = describeRefusal(refusal);
  const { code, message, next: advice } = body.error;
  const next = call === undefined ? [] : listRetries(body.error, call);
  const text = renderError({ code, message, advice, next }, { write, budget_bytes: ERROR_BYTES });
  return { status, error: body.error, text, next };
}

function describeUnreachable({ message }: ServerUnreachable): ApiError {
  return new ApiError("database_unavailable", {
    message,
    next: "Try again shortly; if it stays so, ask the owner to start it with rungs serve.",
  });
}
