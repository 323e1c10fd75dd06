/**
 * `pdpp://` URIs: a handle is base64url JSON that names a record, or a window of one of its fields. It names a place
 * and grants nothing: the caller's token authorizes every read (R08).
 */
import { z } from "zod";
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";
import { parseFieldPath } from "./field-path.ts";
import { type RecordRef, recordRefSchema } from "./record-ref.ts";
import { type WindowSelector, windowSelectorSchema } from "./selector.ts";

const RECORD_PREFIX = "pdpp://record/";
const FIELD_WINDOW_PREFIX = "pdpp://field-window/";
const HANDLE_MAX_CHARS = 32_768;

const recordHandleSchema = z.strictObject({
  v: z.literal(1),
  kind: z.literal("record"),
  ...recordRefSchema.shape,
});

const fieldWindowHandleSchema = z.strictObject({
  v: z.literal(1),
  kind: z.literal("field-window"),
  ...recordRefSchema.shape,
  field_path: z.string().refine((path) => parseFieldPath(path) !== undefined),
  selector: windowSelectorSchema,
});

/** The window of a field that a field-window URI names. */
export interface FieldWindowRef extends RecordRef {
  readonly field_path: string;
  readonly selector: WindowSelector;
}

/** Formats the URI of a record (R07). */
export function formatRecordUri({ connection_id, stream, record_id }: RecordRef): string {
  return RECORD_PREFIX + encodeHandle({ v: 1, kind: "record", connection_id, stream, record_id });
}

/** Parses the URI of a record; undefined if it is not one. */
export function parseRecordUri(uri: string): RecordRef | undefined {
  const handle = recordHandleSchema.safeParse(decodeHandle(uri, RECORD_PREFIX));
  if (!handle.success) return undefined;
  const { connection_id, stream, record_id } = handle.data;
  return { connection_id, stream, record_id };
}

/** Formats the URI of a window of a field (R40). */
export function formatFieldWindowUri(window: FieldWindowRef): string {
  const { connection_id, stream, record_id, field_path, selector } = window;
  const handle = { v: 1, kind: "field-window", connection_id, stream, record_id, field_path, selector };
  return FIELD_WINDOW_PREFIX + encodeHandle(handle);
}

/** Parses the URI of a window of a field; undefined if it is not one. */
export function parseFieldWindowUri(uri: string): FieldWindowRef | undefined {
  const handle = fieldWindowHandleSchema.safeParse(decodeHandle(uri, FIELD_WINDOW_PREFIX));
  if (!handle.success) return undefined;
  const { connection_id, stream, record_id, field_path, selector } = handle.data;
  return { connection_id, stream, record_id, field_path, selector };
}

function encodeHandle(handle: object): string {
  return encodeBase64Url(JSON.stringify(handle));
}

function decodeHandle(uri: string, prefix: string): unknown {
  if (!uri.startsWith(prefix) || uri.length > HANDLE_MAX_CHARS) return undefined;
  const json = decodeBase64Url(uri.slice(prefix.length));
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
