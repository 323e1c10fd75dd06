import type { FieldShape, StreamShape } from "@rungs/contract";
import { formatFieldPath } from "@rungs/evidence";

/** What is declared about the top-level field at `path`; undefined for what is deeper. */
export function shapeAt({ fields }: StreamShape, path: string): FieldShape | undefined {
  return fields.find(({ name }) => formatFieldPath([name]) === path);
}
