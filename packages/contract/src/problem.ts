import type { FieldPath } from "@rungs/evidence";
import type { z } from "zod";

/** What is wrong with a document, and where. */
export interface Problem {
  readonly path: FieldPath;
  readonly message: string;
}

/** The first thing that a zod check found wrong. */
export function firstProblem(error: z.ZodError): Problem {
  return describe(error.issues[0] as z.core.$ZodIssue);
}

function describe(issue: z.core.$ZodIssue): Problem {
  const path = issue.path.filter((segment) => typeof segment !== "symbol");
  if (issue.code === "unrecognized_keys") {
    return { path: [...path, ...issue.keys.slice(0, 1)], message: "is not known here" };
  }
  const inner = issue.code === "invalid_union" ? furthest(issue.errors) : undefined;
  return inner
    ? { path: [...path, ...inner.path], message: inner.message }
    : { path, message: issue.message };
}

/** Of the branches of a union, the one that got furthest says most. */
function furthest(branches: readonly (readonly z.core.$ZodIssue[])[]): Problem | undefined {
  const problems = branches.flatMap((issues) => issues.slice(0, 1)).map(describe);
  return problems
    .filter(({ path }) => path.length > 0)
    .sort((left, right) => right.path.length - left.path.length)[0];
}
