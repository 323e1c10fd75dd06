import { ApiError } from "@rungs/contract";
import { blobRefSchema, describeBinaryText, isBinaryText, sliceChars } from "@rungs/evidence";
import type { FieldSlice, Store } from "@rungs/store";
import { findFieldShape } from "../records/target.ts";
import { type FieldTarget, identifyField } from "./field-target.ts";

/** How much of a field's beginning the check needs. */
export const CHECKED_CHARS = 4096;

/** How much of a value longer than `CHECKED_CHARS` to check, as records show it. */
const HEAD_CHARS = 1024;

/** Throws for encoded bytes and for references to blobs (R33); `head` is the beginning of the field. */
export async function requireText(target: FieldTarget, head: FieldSlice, store: Store): Promise<void> {
  const binary = await DESCRIBE[head.kind](target, head, store);
  if (!binary) return;
  throw new ApiError("field_not_text", { ...identifyField(target), param: "field_path", ...binary });
}

type Describe = (target: FieldTarget, head: FieldSlice, store: Store) => object | undefined | Promise<object>;

/** Describes the bytes that a value encodes or refers to; undefined for text. */
const DESCRIBE: Readonly<Record<FieldSlice["kind"], Describe>> = {
  text: describeDisguised,
  json: describeReference,
  binary: describeEncoded,
};

async function describeEncoded(
  { scope, ref, field_path }: FieldTarget,
  { digest }: FieldSlice,
  store: Store,
) {
  const record = await store.getRecord(scope, ref);
  const bytes = record?.cuts.find(({ path }) => path === field_path)?.bytes;
  if (!bytes) return { digest };
  const { blob_id, mime_type, size_bytes } = bytes;
  return { blob_id, mime_type, size_bytes, digest, next: adviseBytes(blob_id) };
}

function adviseBytes(blob_id: string): string {
  return `Call read_blob with blob_id=${blob_id} for a bounded range of its bytes.`;
}

/** A string that encodes bytes; a record of an earlier version of the program has no id for them yet. */
function describeDisguised({ shape, field_path }: FieldTarget, { text, size_chars, digest }: FieldSlice) {
  const { encoding, media_type } = findFieldShape(shape, field_path) ?? {};
  const head = sliceChars(text, 0, size_chars > CHECKED_CHARS ? HEAD_CHARS : CHECKED_CHARS);
  if (!isBinaryText(head, encoding, size_chars)) return undefined;
  const next =
    "Its bytes get a blob_id when its source is imported again; rungs export has the string as it is.";
  return { ...describeBinaryText(head, media_type, size_chars), digest, next };
}

function describeReference(_target: FieldTarget, { text, size_chars }: FieldSlice) {
  if (size_chars > CHECKED_CHARS || !text.startsWith("{")) return undefined;
  const blob = blobRefSchema.safeParse(JSON.parse(text));
  if (!blob.success) return undefined;
  const { blob_id, mime_type, size_bytes } = blob.data;
  return { blob_id, mime_type, size_bytes, next: adviseBytes(blob_id) };
}

/**
 * The key of a field that was checked. The digest covers the whole value, so the result never changes; but the same characters can be
 * text in one field and encoded bytes in another: the declaration decides.
 */
export function formatTextKey(
  { scope, shape, field_path }: FieldTarget,
  { kind, digest }: FieldSlice,
): string {
  // By owner: the time that a window takes must not reveal whether somebody else has the same text.
  return `${JSON.stringify(scope.owner_id)} ${kind} ${findFieldShape(shape, field_path)?.encoding ?? ""} ${digest}`;
}
