import type { FieldSlice } from "@rungs/store";
import { shapeAt } from "../records/shape-at.ts";
import type { FieldTarget } from "./field-target.ts";

const MAX_KNOWN = 10_000;

/** Fields that were seen to be text: a digest is of the whole value, so what was text is text. */
export class KnownTexts {
  readonly #known = new Set<string>();

  has(target: FieldTarget, slice: FieldSlice): boolean {
    return this.#known.has(keyOf(target, slice));
  }

  add(target: FieldTarget, slice: FieldSlice): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(keyOf(target, slice));
  }
}

/** The same characters can be text in one field and bytes in another: the declaration says. */
function keyOf({ shape, field_path }: FieldTarget, { kind, digest }: FieldSlice): string {
  return `${kind} ${shapeAt(shape, field_path)?.encoding ?? ""} ${digest}`;
}
