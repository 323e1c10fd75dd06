import {
  type NamedRecord,
  parseRecordId,
  recordRefSchema,
  requireWindowSelector,
  type WindowSelector,
  windowSelectorShape,
} from "@rungs/evidence";
import { z } from "zod";
import { ApiError } from "../errors/errors.ts";
import { firstProblem, plainMessages } from "../errors/problem.ts";
import { toJsonSchema } from "../json-schema/from-zod.ts";

/** The input of a field read by handle or by parts, flat: a `oneOf` at the root makes some hosts drop a tool (R20). */
export const fieldReadInputSchema = z.strictObject({
  id: z.string().optional(),
  connection_id: z.string().optional(),
  stream: z.string().optional(),
  record_id: z.string().optional(),
  field_path: z.string(),
  ...windowSelectorShape,
});

/** The same input as the fixed tool contract has it, with its `oneOf`. */
export const fieldReadJsonSchema = {
  type: "object",
  oneOf: [
    { required: ["id", "field_path"] },
    { required: ["connection_id", "stream", "record_id", "field_path"] },
  ],
  properties: toJsonSchema(fieldReadInputSchema, "input").properties,
  additionalProperties: false,
} as const;

/** A parsed field read. */
export interface FieldRead {
  readonly record: NamedRecord;
  readonly field_path: string;
  readonly selector: WindowSelector;
}

/** Parses the input that `fieldReadJsonSchema` accepts, and throws a coded error for any other (R20, R21). */
export function requireFieldRead(value: unknown): FieldRead {
  const parsed = fieldReadInputSchema.safeParse(value, plainMessages);
  if (!parsed.success) {
    const { path, message } = firstProblem(parsed.error);
    return refuse(String(path[0] ?? "field_path"), message);
  }
  const { field_path, ...input } = parsed.data;
  return { record: requireRecord(input), field_path, selector: requireWindowSelector(input) };
}

type Names = Partial<Record<"id" | "connection_id" | "stream" | "record_id", string | undefined>>;

function requireRecord({ id, ...parts }: Names): NamedRecord {
  const isWhole = Object.keys(recordRefSchema.shape).every(
    (name) => parts[name as keyof typeof parts] !== undefined,
  );
  if ((id !== undefined) === isWhole) refuse("id", "give either id, or connection_id, stream and record_id");
  if (id === undefined) return requireParts(parts);
  const record = parseRecordId(id, parts.connection_id);
  for (const name of ["stream", "record_id"] as const) {
    if (parts[name] !== undefined && parts[name] !== record[name]) {
      refuse(name, "differs from what the id names");
    }
  }
  return record;
}

function requireParts(parts: Names): NamedRecord {
  const parsed = recordRefSchema.safeParse(parts, plainMessages);
  if (parsed.success) return parsed.data;
  const { path, message } = firstProblem(parsed.error);
  const segment = String(path[0]);
  throw new ApiError("invalid_record_id", { param: segment, segment, message: `${segment}: ${message}.` });
}

function refuse(param: string, problem: string): never {
  throw new ApiError("invalid_request", { param, message: `${param}: ${problem}.` });
}
