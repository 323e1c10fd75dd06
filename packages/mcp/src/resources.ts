/** The resources that hosts can read by URI. */
import { ApiError, presentRecord } from "@rungs/contract";
import {
  CodedError,
  formatRecordUri,
  type NamedRecord,
  parseFieldWindowUri,
  parseRecordId,
  parseRecordUri,
} from "@rungs/evidence";
import type { Backend } from "./backend.ts";
import { BLOB_URI, formatWindowCall, linkNeighbours } from "./links.ts";
import { parseStreamUri, RECENT_RECORDS } from "./list-resources.ts";
import { IMAGE_MAX_BYTES, readRange } from "./read-blob.ts";
import { readRecord } from "./read-record.ts";
import { fetchWindow } from "./read-window.ts";
import type { ReadResource, Resource } from "./resource.ts";

/** A record, as `fetch` shows it (R07). */
const record: Resource = {
  name: "record",
  title: "Record",
  description: "One record, as fetch shows it: every field bounded, with the call that reads on.",
  uri_template: "pdpp://record/{handle}",
  read: readRecordUri,
};

/** The same record by the id that answers show, which contains a slash. */
const shownRecord: Resource = {
  name: "record-by-id",
  title: "Record by its id",
  description: "One record by the id that answers show, as it is or percent-encoded.",
  uri_template: "pdpp://record/{connection_id}/{record}",
  read: readRecordUri,
};

async function readRecordUri(uri: string, backend: Backend): Promise<ReadResource> {
  const { structured, meta } = await readRecord(parseShownUri(uri), {}, backend);
  return { document: structured, meta };
}

/** Parses a URI with a handle, or with an id as answers show it, percent-encoded or not. */
function parseShownUri(uri: string): NamedRecord {
  if (parseRecordUri(uri)) return parseRecordId(uri);
  const rest = uri.slice(RECORD_URI.length);
  try {
    return parseRecordId(decodeURIComponent(rest));
  } catch (error) {
    if (error instanceof URIError || error instanceof CodedError) return parseRecordId(uri);
    throw error;
  }
}

const RECORD_URI = "pdpp://record/";

/** A granted stream: its newest records. */
const stream: Resource = {
  name: "stream",
  title: "Stream",
  description: "The newest records of a granted stream, each with its id.",
  uri_template: "pdpp://stream/{connection_id}/{stream}",
  async read(uri, { client }) {
    const { connection_id = "", stream: name = "" } = parseStreamUri(uri) ?? {};
    const page = await client.call("query_records", {
      connection_id,
      stream: name,
      view: "preview",
      limit: RECENT_RECORDS,
    });
    const results = page.data.map((each) => {
      const { view, card } = presentRecord(each, 0);
      return { id: view.record.id, title: card.title, uri: formatRecordUri(view.record) };
    });
    const args = { connection_id, stream: name };
    return { document: { results, next: { operation: "query_records", args } } };
  },
};

/** A file of bounded size; larger ones are read in parts by read_blob. */
const blob: Resource = {
  name: "blob",
  title: "File",
  description: "The bytes of a small file; read_blob reads parts of any file.",
  uri_template: `${BLOB_URI}{blob_id}`,
  async read(uri, { client }) {
    const blob_id = uri.slice(BLOB_URI.length);
    const { blob: file } = await readRange(client, blob_id, 0, 1);
    if (file.size_bytes > IMAGE_MAX_BYTES) {
      throw new ApiError("invalid_request", {
        param: "uri",
        message: `The file has ${file.size_bytes} bytes; as a resource it may have at most ${IMAGE_MAX_BYTES}.`,
        next: `Call read_blob with blob_id=${JSON.stringify(blob_id)} for a part of it.`,
      });
    }
    const { bytes } = await readRange(client, blob_id, 0, IMAGE_MAX_BYTES);
    return { bytes, mime_type: file.mime_type };
  },
};

/** A window of a field, as `read_record_field` reads it, with the URIs of the adjacent windows (R40). */
const fieldWindow: Resource = {
  name: "field-window",
  title: "Window of a field",
  description: "A bounded window of one field's text, with the URIs of the next and the previous window.",
  uri_template: "pdpp://field-window/{handle}",
  toCall(uri) {
    const named = parseFieldWindowUri(uri);
    return named && formatWindowCall(named);
  },
  async read(uri, { client }) {
    const named = parseFieldWindowUri(uri);
    if (!named) {
      const next = "Read a URI exactly as the _meta of an answer gave it.";
      throw new ApiError("invalid_record_id", {
        param: "uri",
        message: "The URI names no window of a field.",
        next,
      });
    }
    const { field_path, selector, ...record } = named;
    const answer = await fetchWindow(client, { record, field_path, selector });
    return { document: { ...answer, resource: linkNeighbours(answer, selector) } };
  },
};

/** Every kind of resource. */
export const resources: readonly Resource[] = [record, shownRecord, fieldWindow, stream, blob];
