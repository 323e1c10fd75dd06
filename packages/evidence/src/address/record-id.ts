/**
 * Record ids as people and models see them: `{connection_id}/{stream}:{record_id}`, or a `pdpp://record/` URI for
 * a key that does not fit that grammar or would break the line that shows it (R01, R03).
 */

import { CodedError } from "../coded-error.ts";
import { countBytes } from "../text/code-points.ts";
import { formatRecordUri, parseRecordUri } from "./handle.ts";
import {
  connectionIdSchema,
  RECORD_ID_MAX_CHARS,
  type RecordIdentity,
  type RecordRef,
  recordIdSchema,
  SEGMENT_MAX_CHARS,
  streamNameSchema,
} from "./record-ref.ts";

/** The largest key in an id, so that an answer that repeats the id in its calls stays within what hosts show. */
const KEY_MAX_SHOWN_BYTES = 2_200;

/** Whether answers can show an id with this key; only long keys that need a URI are too long. */
export function fitsAnId(record_id: string): boolean {
  return countBytes(formatRecordId({ connection_id: "c", stream: "s", record_id })) <= KEY_MAX_SHOWN_BYTES;
}

/** The record that an id names; a legacy `stream:record_id` has no connection. */
export interface NamedRecord {
  readonly connection_id: string | undefined;
  readonly stream: string;
  readonly record_id: string;
}

type Segment = "id" | "connection_id" | "stream" | "record_id";

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const VISIBLE_ID = /^(?:([^/:]*)\/)?([^:]*):(.*)$/su;
const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i;
const TRAVERSAL = /(?:^|[/\\])(?:\.|%2e){1,2}(?:$|[/\\])/i;
/** Characters that break, reorder or hide the line that shows an id; a URI shows them escaped. */
const NOT_SHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u{e0000}-\u{e007f}]/u;
/** Invisible characters, which a model drops when it copies an id. Joiners and variation selectors stay in emoji and words. */
const DROPPED = /[\p{Default_Ignorable_Code_Point}--[\u200c\u200d\p{Variation_Selector}]]/v;

/** Formats the id that alone identifies the record, in the grammar wherever the key allows it (R01, R03). */
export function formatRecordId(ref: RecordRef): string {
  return canBeShown(ref) ? `${ref.connection_id}/${ref.stream}:${ref.record_id}` : formatRecordUri(ref);
}

/** Creates the record's identity for answers: its id and its three parts. */
export function identifyRecord({ connection_id, stream, record_id }: RecordRef): RecordIdentity {
  return { id: formatRecordId({ connection_id, stream, record_id }), connection_id, stream, record_id };
}

/**
 * Parses an id of any form, or throws `invalid_record_id` with the bad segment (R06), or `connection_conflict`
 * if `connectionId` differs from the id's connection (R05).
 */
export function parseRecordId(id: string, connectionId?: string): NamedRecord {
  const record = readId(id);
  if (connectionId === undefined) return record;
  requireSegment("connection_id", connectionId, connectionIdSchema, "connection_id");
  if (record.connection_id !== undefined && record.connection_id !== connectionId) {
    throw new CodedError("connection_conflict", {
      param: "connection_id",
      message: "The id and connection_id name different connections.",
    });
  }
  return { ...record, connection_id: connectionId };
}

function readId(id: string): NamedRecord {
  if (id.startsWith("pdpp://")) {
    return parseRecordUri(id) ?? refuse("id", "is not a readable pdpp://record/ URI");
  }
  if (URL_START.test(id)) refuse("id", "is a URL, not a record");
  const parts = VISIBLE_ID.exec(id);
  if (!parts) refuse("id", "has no ':' between stream and record id");
  const [, connection_id, stream = "", record_id = ""] = parts;
  if (connection_id !== undefined) requireSegment("connection_id", connection_id, connectionIdSchema);
  requireSegment("stream", stream, streamNameSchema);
  requireSegment("record_id", record_id, recordIdSchema);
  return { connection_id, stream, record_id };
}

function requireSegment(
  segment: Segment,
  value: string,
  schema: typeof recordIdSchema | typeof streamNameSchema,
  param = "id",
): void {
  if (value === "") refuse(segment, "is empty", param);
  if (CONTROL.test(value)) refuse(segment, "has a control character", param);
  if (TRAVERSAL.test(value)) refuse(segment, "is a path traversal", param);
  if (value.includes("/")) refuse(segment, "has an extra '/'", param);
  if (schema.safeParse(value).success) return;
  const rule =
    segment === "record_id"
      ? `must be well-formed text of at most ${RECORD_ID_MAX_CHARS} characters`
      : `must be at most ${SEGMENT_MAX_CHARS} letters, digits or ._~-`;
  refuse(segment, rule, param);
}

function refuse(segment: Segment, problem: string, param = "id"): never {
  const where = segment === param ? param : `${segment} in ${param}`;
  throw new CodedError("invalid_record_id", { param, segment, message: `${where} ${problem}.` });
}

function canBeShown({ stream, record_id }: RecordRef): boolean {
  if (stream.includes(":") || record_id.includes("/") || TRAVERSAL.test(record_id)) return false;
  return !NOT_SHOWN.test(record_id) && !DROPPED.test(record_id);
}
