import { type FieldPath, formatFieldPath, sliceChars } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";
import { createSchemaCheck } from "../json-schema/index.ts";
import type { ManifestStream } from "../manifest/manifest-schema.ts";
import { getProperties } from "../manifest/stream-shape.ts";
import type { RecordEnvelope } from "./record.ts";
import { requireKey } from "./record-key.ts";
import { findDataProblem } from "./record-text.ts";

const PARAM_MAX_CHARS = 256;

/**
 * Compiles a stream's declaration into a check of its records. The check returns the record's canonical key, or throws
 * `invalid_key`, `invalid_text` or `invalid_record` with the location and the rule but nothing of the content.
 */
export function createRecordCheck(stream: ManifestStream): (envelope: RecordEnvelope) => string {
  const findSchemaIssue = createSchemaCheck(stream.schema);
  const declared = new Set(Object.keys(getProperties(stream)));

  return (envelope) => {
    const key = requireKey(envelope.key, stream.primary_key.length);
    if (envelope.op === "delete") return key;
    const data = requireData(envelope);
    const unknown = Object.keys(data).find((name) => !declared.has(name));
    if (unknown !== undefined) refuse([unknown], "is not a field that the stream declares");
    const issue = findSchemaIssue(data);
    if (issue) refuse(issue.path, issue.message);
    requireSameKey(stream.primary_key, [envelope.key].flat(), data);
    return key;
  };
}

function requireData({ data }: RecordEnvelope): Readonly<Record<string, unknown>> {
  if (data === undefined) return refuse([], "is missing");
  const problem = findDataProblem(data);
  if (problem?.kind === "form") refuse(problem.path, problem.message);
  if (problem?.kind === "text") {
    const { path, offset_chars } = problem;
    const param = paramAt(path);
    const message = `${param} has a lone surrogate at character ${offset_chars}.`;
    throw new ApiError("invalid_text", { param, message, offset_chars });
  }
  return data;
}

function requireSameKey(
  fields: readonly string[],
  key: readonly string[],
  data: Readonly<Record<string, unknown>>,
): void {
  for (const [at, field] of fields.entries()) {
    const value = data[field];
    if ((typeof value === "string" ? value : JSON.stringify(value)) === key[at]) continue;
    refuse([field], "is part of the primary key and differs from the envelope's key");
  }
}

function refuse(path: FieldPath, rule: string): never {
  const param = paramAt(path);
  throw new ApiError("invalid_record", { param, message: `${param} ${rule}.` });
}

/** Property names come from the record and can be of any length. */
function paramAt(path: FieldPath): string {
  return path.length === 0 ? "data" : sliceChars(formatFieldPath(path), 0, PARAM_MAX_CHARS).toWellFormed();
}
