/** The resources that hosts can read by URI. */
import { ApiError } from "@rungs/contract";
import { parseFieldWindowUri, parseRecordId } from "@rungs/evidence";
import { formatWindowCall, linkNeighbours } from "./links.ts";
import { readRecord } from "./read-record.ts";
import { fetchWindow } from "./read-window.ts";
import type { Resource } from "./resource.ts";

/** A record, as `fetch` shows it (R07). */
const record: Resource = {
  name: "record",
  title: "Record",
  description: "One record, as fetch shows it: every field bounded, with the call that reads on.",
  uri_template: "pdpp://record/{handle}",
  async read(uri, backend) {
    const { structured, meta } = await readRecord(parseRecordId(uri), undefined, backend);
    return { document: structured, meta };
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
export const resources: readonly Resource[] = [record, fieldWindow];
