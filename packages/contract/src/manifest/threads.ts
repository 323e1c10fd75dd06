/** The thread that a record is in, by the fields that its stream gives the role `thread`. */
import type { StreamShape } from "./stream-shape.ts";

/** The fields that name the thread of a record, by their declared role. */
export function listThreadFields({ fields }: StreamShape): string[] {
  return fields.filter(({ role }) => role === "thread").map(({ name }) => name);
}

/** The thread of a record: the first of its thread fields that has a value. */
export function findThread(shape: StreamShape, data: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of listThreadFields(shape)) {
    const value = Object.hasOwn(data, field) ? data[field] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** Whether the granted fields show which thread a record is in, and when it was: only then its neighbours may be known. */
export function seesThreads(shape: StreamShape, granted: ReadonlySet<string>): boolean {
  const fields = listThreadFields(shape);
  const time = shape.consent_time_field;
  return fields.length > 0 && time !== undefined && [...fields, time].every((field) => granted.has(field));
}
