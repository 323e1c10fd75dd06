import { CodedError, type CodedErrorDetails } from "@rungs/evidence";
import { z } from "zod";
import { errorTypes } from "./error-row.ts";
import { errorRegistry, isErrorCode } from "./errors.ts";

/** The body of every error response; facts such as `available_connections` are additional members. */
export const errorBodySchema = z.object({
  error: z.looseObject({
    type: z.enum(errorTypes),
    code: z.string(),
    message: z.string().describe("What was wrong, in one sentence."),
    next: z.string().describe("What to do next, in one sentence."),
    param: z.string().describe("The parameter, or the place in the document, that was wrong.").optional(),
    request_id: z.string().optional(),
  }),
});

/** The body of every error response. */
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Describes a thrown value on the wire. Anything but an error of the registry becomes `internal_error`, without details. */
export function describeRefusal(thrown: unknown, request_id?: string): { status: number; body: ErrorBody } {
  const code = thrown instanceof CodedError && isErrorCode(thrown.code) ? thrown.code : "internal_error";
  const row = errorRegistry[code];
  const details = thrown instanceof CodedError && code !== "internal_error" ? thrown.details : {};
  const { message, next, param, ...facts }: CodedErrorDetails = details;
  return {
    status: row.status,
    body: {
      error: {
        type: row.type,
        code,
        message: message ?? row.message,
        next: typeof next === "string" ? next : row.next,
        ...(param === undefined ? {} : { param }),
        ...pickFacts(facts),
        ...(request_id === undefined ? {} : { request_id }),
      },
    },
  };
}

const RESERVED = new Set(["type", "code", "request_id"]);

function pickFacts(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(facts).filter(([name, fact]) => !RESERVED.has(name) && isPlain(fact));
  return Object.fromEntries(kept);
}

/** Keeps plain JSON values only: an error or class instance put into the details by mistake is dropped. */
function isPlain(fact: unknown): boolean {
  if (fact === null || typeof fact === "string" || typeof fact === "boolean") return true;
  if (typeof fact === "number") return Number.isFinite(fact);
  if (Array.isArray(fact)) return fact.every(isPlain);
  if (typeof fact !== "object" || ![Object.prototype, null].includes(Object.getPrototypeOf(fact))) {
    return false;
  }
  return Object.values(fact).every(isPlain);
}
