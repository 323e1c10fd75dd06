import type { FieldPath } from "@rungs/evidence";
import type { z } from "zod";

/** What is wrong with a document, and where. */
export interface Problem {
  readonly path: FieldPath;
  readonly message: string;
}

/** Describes the first issue of a zod error. */
export function firstProblem(error: z.ZodError): Problem {
  return describe(error.issues[0] as z.core.$ZodIssue);
}

function describe(issue: z.core.$ZodIssue): Problem {
  const path = issue.path.filter((segment) => typeof segment !== "symbol");
  if (issue.code === "unrecognized_keys") {
    return { path: [...path, ...issue.keys.slice(0, 1)], message: "is not known here" };
  }
  const inner = issue.code === "invalid_union" ? findDeepest(issue.errors) : undefined;
  return inner
    ? { path: [...path, ...inner.path], message: inner.message }
    : { path, message: issue.message };
}

/** Reports the branch of a union that matched furthest: the one with the deepest error. */
function findDeepest(branches: readonly (readonly z.core.$ZodIssue[])[]): Problem | undefined {
  const problems = branches.flatMap((issues) => issues.slice(0, 1)).map(describe);
  return problems
    .filter(({ path }) => path.length > 0)
    .sort((left, right) => right.path.length - left.path.length)[0];
}

/** Zod error map: plain-language messages instead of zod's type names. */
export const plainMessages: z.core.ParseContext<z.core.$ZodIssue> = { error: describeIssue };

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};
const UNITS: Readonly<Record<string, string>> = { string: " characters", array: " entries" };

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `is not ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return issue.input === undefined
        ? "is required"
        : `has to be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      if (issue.origin in UNITS && issue.minimum === 1) return "is empty";
      return `has to be at least ${issue.minimum}${UNITS[issue.origin] ?? ""}`;
    case "too_big":
      return `has to be at most ${issue.maximum}${UNITS[issue.origin] ?? ""}`;
    case "invalid_format":
      return "is malformed";
    default:
      return undefined;
  }
}
