import { type Cut, markCut, type OutgoingRecord, type Tombstone } from "@rungs/contract";
import { countChars, formatRecordId, isBinaryText, isBlobRef, parseFieldPath } from "@rungs/evidence";
import type { Change, StoredCut, StoredRecord } from "@rungs/store";
import { StreamedData } from "./streamed-data.ts";
import { findFieldShape, type StreamTarget } from "./target.ts";
import type { ValueView } from "./value-view.ts";

type Declared = Pick<StreamTarget, "source" | "shape">;

/** Describes a stored record for the wire: labeled, with links to its blobs and, for each cut value, the call that reads on. */
export function describeRecord(
  record: StoredRecord,
  declared: Declared,
  view: Pick<ValueView, "chooseStreamed" | "read">,
): OutgoingRecord {
  const handle = formatRecordId(record);
  const data = linkBlobs(record.data) as Record<string, unknown>;
  const streamed = new Set(view.chooseStreamed(record));
  const cuts = record.cuts.filter((cut) => !streamed.has(cut));
  for (const cut of cuts) {
    if (cut.kind !== "binary") data[nameOf(cut)] = markCut(cut.head, cut.size_chars);
  }
  const shapes = describeShapes(declared, data);
  return {
    ...labelRecord(record, declared),
    data: streamed.size === 0 ? data : streamData({ ...record, data, cuts: [...streamed] }, view),
    ...(cuts.length === 0 ? {} : { cuts: cuts.map((cut) => describeCut(cut, handle, declared)) }),
    ...(shapes.length === 0 ? {} : { shapes }),
  };
}

/** The data of a record with long values: `writeJson` writes it in pieces. */
function streamData(record: StoredRecord, { read }: Pick<ValueView, "read">): Record<string, unknown> {
  const streamed = new StreamedData(record, (path, range) => read(record, path, range));
  return streamed as unknown as Record<string, unknown>;
}

/** Values that are not binary are cut at the top level only. */
function nameOf({ path }: StoredCut): string {
  return String(parseFieldPath(path)?.[0] ?? "");
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
export function describeChange(
  change: Change,
  target: StreamTarget,
  view: Pick<ValueView, "chooseStreamed" | "read">,
): OutgoingRecord | Tombstone {
  if (change.kind === "record") return describeRecord(change.record, target, view);
  const { connection_id, stream } = target;
  const { record_id: id, deleted_at, emitted_at } = change;
  return { object: "record", id, connection_id, stream, deleted: true, deleted_at, emitted_at };
}

/** The data already has the prefix; encoded bytes have no further text to read (R33). */
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
  if (isBlobRef(value)) return { ...value, fetch_url: formatBlobPath(value.blob_id) };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, linkBlobs(member)]));
}

function formatBlobPath(blob_id: string): string {
  return `/v1/blobs/${encodeURIComponent(blob_id)}`;
}
