/** Resource URIs of an answer, in `_meta`: hosts read them, models do not see them (R41). */

import type { BlobView } from "@rungs/contract";
import {
  type Continuation,
  type FieldWindow,
  type FieldWindowRef,
  formatFieldWindowUri,
  formatRecordId,
  formatRecordUri,
  parseRecordId,
  type RecordRef,
  requireWindowSelector,
  type WindowSelector,
} from "@rungs/evidence";
import { repeatCall } from "./answer.ts";

/** What the URIs of files begin with. */
export const BLOB_URI = "pdpp://blob/";

/** The `_meta` member that holds the URIs. */
const RESOURCES_META = "dev.pdpp/resources";

/** The URIs of a window and of the adjacent windows. */
export interface WindowLinks {
  readonly uri: string;
  readonly next_uri: string | null;
  readonly previous_uri: string | null;
}

/** One record of an answer, with the next calls that the answer shows for it. */
export interface LinkedRecord {
  readonly ref: RecordRef & { readonly id: string };
  readonly calls: readonly (Continuation | undefined)[];
}

/** `_meta` for an answer about these records. */
export function linkRecords(records: readonly LinkedRecord[]): Record<string, unknown> {
  return {
    [RESOURCES_META]: {
      records: records.map(({ ref }) => ({ id: ref.id, uri: formatRecordUri(ref) })),
      field_windows: records.flatMap(({ calls }) =>
        calls.flatMap((call) => (call?.operation === "read_record_field" ? [linkCall(call)] : [])),
      ),
    },
  };
}

/** A link to a file for hosts that read resources: binary content only, and always in addition to a tool (R42). */
export function linkBlob({
  blob: { blob_id, mime_type: mimeType, size_bytes: size },
}: Pick<BlobView, "blob">) {
  return { type: "resource_link", uri: `${BLOB_URI}${blob_id}`, name: blob_id, mimeType, size } as const;
}

/** `_meta` for a window. */
export function linkWindow(answer: FieldWindow, selector: WindowSelector): Record<string, unknown> {
  const { record, field } = answer;
  const window = { id: record.id, field_path: field.path, ...linkNeighbours(answer, selector) };
  return {
    [RESOURCES_META]: {
      records: [{ id: record.id, uri: formatRecordUri(record) }],
      field_windows: [window],
    },
  };
}

/** The URIs of a window that was read by `selector`, and of the adjacent windows. */
export function linkNeighbours(answer: FieldWindow, selector: WindowSelector): WindowLinks {
  const { record, field, window } = answer;
  const uriOf = (at: WindowSelector) =>
    formatFieldWindowUri({ ...record, field_path: field.path, selector: at });
  const beside = (cursor: string | null | undefined) => (cursor ? uriOf({ kind: "cursor", cursor }) : null);
  return {
    uri: uriOf(selector),
    next_uri: beside(window.next_cursor),
    previous_uri: beside(window.previous_cursor),
  };
}

function linkCall(call: Continuation) {
  const { id, field_path } = call.args;
  return { id, field_path, uri: formatCallUri(call) };
}

/** The URI of what a call reads: the file of `read_blob`, or the window of `read_record_field`. */
export function formatCallUri({ operation, args }: Continuation): string {
  if (operation === "read_blob") return `${BLOB_URI}${args.blob_id}`;
  const { id, field_path, ...input } = args;
  const { connection_id = "", stream, record_id } = parseRecordId(String(id));
  const selector = requireWindowSelector(input);
  return formatFieldWindowUri({
    connection_id,
    stream,
    record_id,
    field_path: String(field_path),
    selector,
  });
}

/** The call of `read_record_field` that reads what a URI names. */
export function formatWindowCall({ field_path, selector, ...record }: FieldWindowRef): Continuation {
  const { kind: _, ...input } = selector;
  const args = { id: formatRecordId(record), field_path, ...input };
  return repeatCall("read_record_field", args);
}
