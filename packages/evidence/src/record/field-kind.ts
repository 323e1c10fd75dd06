import { z } from "zod";
import { blobRefSchema, isBinaryText } from "./binary.ts";

/** The kind of a field's value. */
export const fieldKindSchema = z.enum(["text", "json", "number", "boolean", "null", "binary", "blob"]);

/** The kind of a field's value. */
export type FieldKind = z.infer<typeof fieldKindSchema>;

/** The size of a field, in steps that a reader can plan with. */
export const sizeGradeSchema = z.enum(["small", "medium", "large", "huge"]);

/** The size of a field. */
export type SizeGrade = z.infer<typeof sizeGradeSchema>;

/** Facts about a value from outside: JSON Schema's `contentEncoding`, and the whole size of a cut string. */
export interface ValueFacts {
  readonly encoding?: string | undefined;
  readonly size_chars?: number | undefined;
}

const GRADES = [
  ["small", 4096],
  ["medium", 65_536],
  ["large", 1_048_576],
] as const;

/** Grades a size in characters, or in bytes for binary values. */
export function gradeSize(size: number): SizeGrade {
  return GRADES.find(([, most]) => size <= most)?.[0] ?? "huge";
}

/** Classifies a value; a prefix is enough for a long string. */
export function classifyValue(value: unknown, { encoding, size_chars }: ValueFacts = {}): FieldKind {
  switch (typeof value) {
    case "string":
      return isBinaryText(value, encoding, size_chars) ? "binary" : "text";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      if (value === null || value === undefined) return "null";
      return blobRefSchema.safeParse(value).success ? "blob" : "json";
  }
}

/** Whether a field of this kind has text that windows can be cut from. */
export function isTextLike(kind: FieldKind): boolean {
  return kind === "text" || kind === "json";
}
