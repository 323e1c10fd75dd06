import { type FieldCut, parseFieldPath, valueAt } from "@rungs/evidence";
import type { OutgoingRecord } from "./record.ts";

/** The cuts of a record with their heads, for what shows it: a text's head travels once, in `data`. */
export function cutsOf({ data, cuts = [] }: Pick<OutgoingRecord, "data" | "cuts">): FieldCut[] {
  return cuts.map(({ path, kind, size_chars, size_bytes, digest, head }) => {
    const held = head ?? valueAt(data, parseFieldPath(path) ?? []);
    return { path, kind, size_chars, size_bytes, digest, head: typeof held === "string" ? held : "" };
  });
}
