import { CodedError, type CodedErrorDetails } from "@rungs/evidence";
import { accessErrors } from "./access-errors.ts";
import { dataErrors } from "./data-errors.ts";
import type { ErrorRow } from "./error-row.ts";
import { readErrors } from "./read-errors.ts";
import { serviceErrors } from "./service-errors.ts";

/** The one registry of error codes; HTTP, MCP and the command line are three printers of it. */
export const errorRegistry = {
  ...readErrors,
  ...accessErrors,
  ...dataErrors,
  ...serviceErrors,
} satisfies Record<string, ErrorRow>;

/** A code of the registry. */
export type ErrorCode = keyof typeof errorRegistry;

/** Whether `code` is in the registry. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorRegistry, code);
}

/** An error with a code of the registry. */
export class ApiError extends CodedError<ErrorCode> {
  constructor(code: ErrorCode, details: CodedErrorDetails = {}) {
    super(code, { message: errorRegistry[code].message, ...details });
    this.name = "ApiError";
  }
}
