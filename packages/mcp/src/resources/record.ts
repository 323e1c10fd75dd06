import { parseRecordId } from "@rungs/evidence";
import { readRecord } from "../read-record.ts";
import type { Resource } from "./resource.ts";

/** A record, as `fetch` shows it (R07). */
export const record: Resource = {
  name: "record",
  title: "Record",
  description: "One record, as fetch shows it: every field bounded, with the call that reads on.",
  uri_template: "pdpp://record/{handle}",
  async read(uri, backend) {
    const { structured, meta } = await readRecord(parseRecordId(uri), undefined, backend);
    return { document: structured, meta };
  },
};
