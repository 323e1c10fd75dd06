import { formatFieldPath } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";
import { firstProblem, inWords, type Problem } from "../problem.ts";
import { findManifestProblem } from "./manifest-rules.ts";
import { type Manifest, manifestSchema } from "./manifest-schema.ts";
import { findUnsafeName } from "./unsafe-name.ts";

/** Reads a source declaration, or refuses with `invalid_manifest`, naming the place and the rule. */
export function requireManifest(value: unknown): Manifest {
  const unsafe = findUnsafeName(value);
  if (unsafe) refuse(unsafe);
  const parsed = manifestSchema.safeParse(value, inWords);
  if (!parsed.success) return refuse(firstProblem(parsed.error));
  const problem = findManifestProblem(parsed.data);
  if (problem) refuse(problem);
  return parsed.data;
}

function refuse({ path, message }: Problem): never {
  const param = formatFieldPath(path);
  throw new ApiError("invalid_manifest", {
    ...(param === "" ? {} : { param }),
    message: `${param === "" ? "The source declaration" : param}: ${message}.`,
  });
}
