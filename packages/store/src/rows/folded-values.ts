/**
 * The comparison form of values for conditions: folded texts, and for mailboxes also their names, addresses and
 * domains.
 */
import { domainToUnicode } from "node:url";
import { type FieldShape, foldValue } from "@rungs/contract";
import { eachValue, encodeListed, listForms } from "./listed-values.ts";
import { encodeScalar, isEncodedText } from "./scalars.ts";

/** The version of this folding. Partitions with another one are folded again when the store opens. */
export const FOLDING = 3;

/** In `items`, folded values of a field are under its number plus this one: filters never see them. */
export const FOLDED_FIELDS = 256;

/** In `items`, the keys of the records that a record belongs to are under their field's number plus this one, as they are. */
export const LINK_FIELDS = 512;

/** The maximum size of a record's key, which must fit in a PostgreSQL index. */
const LINK_BYTES = 2_400;
const NO_KEY = new Uint8Array(0);

const ADDRESS = /^[^\s@<>]+(?<domain>@[^\s@<>]+)$/u;
/** Ends in an address in angle brackets, and perhaps a comment: whatever is before is a name, or more mailboxes. */
const ANGLED = /<[^\s<>]+>\s*(?:\([^()]*\)\s*)?$/u;
const IN_ANGLES = /<(?:mailto:)?(?<address>[^\s<>]+@[^\s<>]+)>/giu;
const BARE = /^\s*(?:mailto:)?(?<address>[^\s@<>]+@[^\s@<>]+)\s*(?:\([^()]*\)\s*)?$/iu;
/** An address whose domain has labels in Punycode. */
const CODED = /@[^\s@<>]*xn--[^\s@<>]+$/iu;

/**
 * The encoded comparison values of a field beyond its stored ones. Their number is unlimited: an exclusion must see
 * every value. With `stores_others`, the stored value is a masked one.
 */
export function encodeFolded(field: FieldShape, value: unknown, stores_others = false): Uint8Array[] {
  if (!field.filterable) return [];
  const found = new Map<string, Uint8Array>();
  const add = (form: unknown) => {
    const bytes = encodeScalar(field, form);
    if (bytes) found.set(keyOf(bytes), bytes);
  };
  for (const each of eachValue(value)) {
    const bytes = encodeScalar(field, each);
    if (typeof each !== "string" || (bytes && !isEncodedText(bytes))) add(each);
    else for (const form of compareForms(each)) add(foldValue(form));
  }
  if (!stores_others) for (const stored of listStored(field, value)) found.delete(keyOf(stored));
  return [...found.values()];
}

/** A text, and for mailboxes also their names, addresses and domains. */
function compareForms(text: string): string[] {
  const written = [text, text.trim(), ...listForms(text).map(String), ...listAddresses(text)];
  const forms = written.flatMap((form) => (CODED.test(form) ? [form, decodeDomain(form)] : [form]));
  return [...forms, ...forms.flatMap((form) => ADDRESS.exec(form)?.groups?.domain ?? [])];
}

function decodeDomain(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  return address.slice(0, at) + domainToUnicode(address.slice(at));
}

/** The addresses of a text that is a mailbox or a list of them; none of a text that mentions one. */
function listAddresses(text: string): string[] {
  if (!text.includes("@")) return [];
  const angled = [...text.matchAll(IN_ANGLES)].map(({ groups }) => groups?.address ?? "");
  const parts = text.split(/[,;]/).filter((part) => part.trim() !== "");
  const bare = parts.flatMap((part) => BARE.exec(part)?.groups?.address ?? []);
  const endsBare = BARE.test(parts.at(-1) ?? "") && (angled.length > 0 || bare.length === parts.length);
  return endsBare || ANGLED.test(text) ? [...angled, ...bare] : [];
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
