/** The values of a list, a person or a list of persons that filters compare one by one. */
import type { FieldShape } from "@rungs/contract";
import { encodeScalar } from "./scalars.ts";

/** How many different values of a field a record can be found by. */
const LISTED_VALUES = 1_000;

/** The first different values in `value`, encoded. `Name <address>` also counts as the name and the address alone. */
export function encodeListed(field: FieldShape, value: unknown): Uint8Array[] {
  const found = new Map<string, Uint8Array>();
  for (const each of eachValue(value)) {
    if (found.size >= LISTED_VALUES) break;
    for (const form of listForms(each)) {
      const bytes = encodeScalar(field, form);
      if (bytes) found.set(Buffer.from(bytes).toString("latin1"), bytes);
    }
  }
  return [...found.values()];
}

/** The scalars in a list, a person, a list of persons, or the scalar itself. */
export function* eachValue(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) for (const item of value) yield* eachMember(item);
  else yield* eachMember(value);
}

/** A scalar, or the scalar members of a person. */
function* eachMember(value: unknown): Generator<unknown> {
  if (value === null || typeof value !== "object") yield value;
  else if (!Array.isArray(value))
    for (const member of Object.values(value)) if (typeof member !== "object") yield member;
}

/** A value, and for a mailbox as mail writes it also its name and its address. */
export function listForms(value: unknown): unknown[] {
  return typeof value === "string" ? [value, ...splitMailbox(value.trimEnd())] : [value];
}

/** The name and the address of `Name <address>`, in time linear in its length. */
function splitMailbox(text: string): string[] {
  const opens = text.lastIndexOf("<");
  const name = text.slice(0, Math.max(0, opens)).trim().replace(/^"/, "").replace(/"$/, "");
  const address = text.slice(opens + 1, -1);
  if (opens < 0 || !text.endsWith(">") || address === "") return [];
  return /["<>]/.test(name) || /[<>\s]/.test(address) ? [] : [name, address];
}
