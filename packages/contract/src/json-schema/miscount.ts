import { countChars, type FieldPath, valueAt } from "@rungs/evidence";
import type { z } from "zod";

/**
 * Whether an issue comes only from counting: zod counts UTF-16 units where JSON Schema counts code points, so that it
 * finds text with emoji too long that is not. (Its `minLength` errs towards accepting.)
 */
export function isMiscount(issue: z.core.$ZodIssue, value: unknown, at: FieldPath = []): boolean {
  const path = [...at, ...issue.path.filter((segment) => typeof segment !== "symbol")];
  if (issue.code === "invalid_union") {
    return issue.errors.some(
      (branch) => branch.length > 0 && branch.every((inner) => isMiscount(inner, value, path)),
    );
  }
  if (issue.code !== "too_big" || issue.origin !== "string") return false;
  const text = valueAt(value, path);
  return typeof text === "string" && countChars(text) <= Number(issue.maximum);
}
