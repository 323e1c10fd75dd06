import type { FieldPath } from "@rungs/evidence";
import type { Problem } from "../errors/problem.ts";
import type { JsonSchema } from "./schema.ts";

/** Returns where a value first breaks a schema, and how, but never what the value is. */
export type SchemaCheck = (value: unknown) => Problem | undefined;

/** Compiles a schema of the same document. */
export type CompileSchema = (schema: JsonSchema) => SchemaCheck;

/** A problem with the value itself. */
export function problem(message: string): Problem {
  return { path: [], message };
}

/** Moves a problem of a member to the value that holds it. */
export function problemAt(segment: FieldPath[number], inner: Problem): Problem {
  return { path: [segment, ...inner.path], message: inner.message };
}

/** The members of a JSON object, by name. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
