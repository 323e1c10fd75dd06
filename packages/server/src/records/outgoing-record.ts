import type { Cut, OutgoingRecord, Tombstone } from "@rungs/contract";
import { blobRefSchema, countChars, formatRecordId, isBinaryText } from "@rungs/evidence";
import type { Change, StoredCut, StoredRecord } from "@rungs/store";
import { findFieldShape, type StreamTarget } from "./target.ts";

type Declared = Pick<StreamTarget, "source" | "shape">;

/** Describes a stored record for the wire: labeled, with links to its blobs and, for each cut value, the call that reads on. */
export function describeRecord(record: StoredRecord, declared: Declared): OutgoingRecord {
  const handle = formatRecordId(record);
  const { data, cuts } = record;
  const shapes = describeShapes(declared, data);
  return {
    ...labelRecord(record, declared),
    data: linkBlobs(data) as Record<string, unknown>,
    ...(cuts.length === 0 ? {} : { cuts: cuts.map((cut) => describeCut(cut, handle, declared)) }),
    ...(shapes.length === 0 ? {} : { shapes }),
  };
}

/** The members of an outgoing record that identify it and its source. */
export function labelRecord(record: StoredRecord, { source }: Pick<Declared, "source">) {
  const { connection_id, stream, record_id: id, emitted_at } = record;
  const { connector_key, display_name } = source;
  const handle = formatRecordId(record);
  return {
    object: "record" as const,
    id,
    handle,
    connection_id,
    connector_key,
    display_name,
    stream,
    emitted_at,
  };
}

/** Describes a change: the whole record, or its tombstone. */
export function describeChange(change: Change, target: StreamTarget): OutgoingRecord | Tombstone {
  if (change.kind === "record") return describeRecord(change.record, target);
  const { connection_id, stream } = target;
  const { record_id: id, deleted_at, emitted_at } = change;
  return { object: "record", id, connection_id, stream, deleted: true, deleted_at, emitted_at };
}

/** The prefix of a text is already in the data; encoded bytes have no text to read on (R33). */
function describeCut({ head, bytes, ...cut }: StoredCut, handle: string, { shape }: Declared): Cut {
  if (bytes) {
    const { blob_id, mime_type, size_bytes } = bytes;
    const read = { operation: "read_blob" as const, args: { blob_id } };
    return { ...cut, binary: { mime_type, size_bytes, sha256: blob_id, blob_id }, read };
  }
  const read = {
    operation: "read_record_field" as const,
    args: { id: handle, field_path: cut.path, offset_chars: countChars(head) },
  };
  const isBinary = isBinaryText(head, findFieldShape(shape, cut.path)?.encoding, cut.size_chars);
  return {
    ...cut,
    ...(cut.kind === "json" ? { head } : {}),
    ...(isBinary ? {} : { read }),
  };
}

function describeShapes({ shape }: Declared, data: Readonly<Record<string, unknown>>) {
  return shape.fields
    .filter(({ name }) => Object.hasOwn(data, name))
    .filter(({ role, media_type, encoding }) => role ?? media_type ?? encoding)
    .map(({ name, role, media_type, encoding }) => ({
      name,
      ...(role === undefined ? {} : { role }),
      ...(media_type === undefined ? {} : { media_type }),
      ...(encoding === undefined ? {} : { encoding }),
    }));
}

/** Copies a JSON value, with `fetch_url` added to every reference to a blob. */
export function linkBlobs(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(linkBlobs);
  if (Object.hasOwn(value, "blob_id") && blobRefSchema.safeParse(value).success) {
    return { ...value, fetch_url: formatBlobPath((value as { blob_id: string }).blob_id) };
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, linkBlobs(member)]));
}

function formatBlobPath(blob_id: string): string {
  return `/v1/blobs/${encodeURIComponent(blob_id)}`;
}
