import { type FieldPath, formatFieldPath } from "@rungs/evidence";
import { ApiError, type ErrorCode } from "../errors/errors.ts";

/** Throws `invalid_request` with a location in the request. */
export function refuseAt(code: ErrorCode, path: FieldPath, problem: string): never {
  const param = formatFieldPath(path);
  throw new ApiError(code, { param, message: `${param} ${problem}.` });
}
