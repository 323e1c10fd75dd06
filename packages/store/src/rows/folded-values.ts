/** Texts as conditions compare them: folded, and for a mailbox also its name, its address and its domain. */
import { type FieldShape, foldValue } from "@rungs/contract";
import { eachValue, encodeListed, listForms } from "./listed-values.ts";
import { encodeScalar, isEncodedText } from "./scalars.ts";

/** The version of this folding. Partitions with another one are folded again when the store opens. */
export const FOLDING = 2;

/** In `items`, folded values of a field are under its number plus this one: filters never see them. */
export const FOLDED_FIELDS = 256;

/** In `items`, the keys of the records that a record belongs to are under their field's number plus this one, as they are. */
export const LINK_FIELDS = 512;

/** No record's key is longer. An index of PostgreSQL must hold it. */
const LINK_BYTES = 2_400;
const NO_KEY = new Uint8Array(0);

const ADDRESS = /^[^\s@<>]+(?<domain>@[^\s@<>]+)$/u;

/**
 * The folded forms of a field's texts, encoded, without those that are stored as they are. Conditions look in both places. There is no
 * limit on their number: an exclusion must see every value. With `stores_others`, what is stored is not this value but a masked one.
 */
export function encodeFolded(field: FieldShape, value: unknown, stores_others = false): Uint8Array[] {
  if (!field.filterable) return [];
  const found = new Map<string, Uint8Array>();
  for (const each of eachValue(value)) {
    if (typeof each !== "string") continue;
    for (const form of listForms(each).filter((one) => typeof one === "string")) {
      const domain = ADDRESS.exec(form)?.groups?.domain;
      for (const text of domain === undefined ? [form] : [form, domain]) {
        const bytes = encodeScalar(field, foldValue(text));
        if (bytes && isEncodedText(bytes)) found.set(keyOf(bytes), bytes);
      }
    }
  }
  if (!stores_others) for (const stored of listStored(field, value)) found.delete(keyOf(stored));
  return [...found.values()];
}

/** The bytes of a parent's key; undefined where a record has no parent. A value that cannot be a key gets bytes that no record's key has. */
export function encodeLink(value: unknown): Uint8Array | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const key = typeof value === "string" || typeof value === "number" ? Buffer.from(String(value)) : NO_KEY;
  return key.length > LINK_BYTES || key.includes(0) ? NO_KEY : key;
}

/** The values that `scalars` or `items` has of the field. */
function listStored(field: FieldShape, value: unknown): Uint8Array[] {
  if (field.listed) return encodeListed(field, value);
  const bytes = encodeScalar(field, value);
  return bytes ? [bytes] : [];
}

function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}
