import { aggregate } from "./aggregate.ts";
import { deleteRecord } from "./delete-record.ts";
import { exportRecords } from "./export.ts";
import { fetch } from "./fetch.ts";
import { getStream } from "./get-stream.ts";
import { healthz } from "./healthz.ts";
import { ingest } from "./ingest.ts";
import { listRecords } from "./list-records.ts";
import { listStreams } from "./list-streams.ts";
import { openapiDocument } from "./openapi-document.ts";
import { protectedResource } from "./protected-resource.ts";
import { queryRecords } from "./query-records.ts";
import { readBlob } from "./read-blob.ts";
import { readRecordField } from "./read-record-field.ts";
import { schema } from "./schema.ts";
import { search } from "./search.ts";

/** Everything that may be asked, by name. */
export const operations = {
  schema,
  search,
  fetch,
  read_record_field: readRecordField,
  query_records: queryRecords,
  aggregate,
  read_blob: readBlob,
  list_streams: listStreams,
  get_stream: getStream,
  list_records: listRecords,
  export: exportRecords,
  ingest,
  delete_record: deleteRecord,
  healthz,
  openapi: openapiDocument,
  protected_resource: protectedResource,
} as const;

/** Everything that may be asked, by name and type. */
export type Operations = typeof operations;

/** The name of an operation. */
export type OperationName = keyof Operations;
