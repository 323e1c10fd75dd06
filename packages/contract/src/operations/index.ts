import { aggregateOperation } from "./aggregate.ts";
import { deleteRecordOperation } from "./delete-record.ts";
import { exportRecordsOperation } from "./export.ts";
import { fetchOperation } from "./fetch.ts";
import { getStreamOperation } from "./get-stream.ts";
import { healthzOperation } from "./healthz.ts";
import { ingestOperation } from "./ingest.ts";
import { listRecordsOperation } from "./list-records.ts";
import { listStreamsOperation } from "./list-streams.ts";
import { openapiDocument } from "./openapi-document.ts";
import { protectedResourceOperation } from "./protected-resource.ts";
import { queryRecordsOperation } from "./query-records.ts";
import { readBlobOperation } from "./read-blob.ts";
import { readRecordFieldOperation } from "./read-record-field.ts";
import { schemaOperation } from "./schema.ts";
import { searchOperation } from "./search.ts";

/** Everything that may be asked, by name. */
export const operations = {
  schema: schemaOperation,
  search: searchOperation,
  fetch: fetchOperation,
  read_record_field: readRecordFieldOperation,
  query_records: queryRecordsOperation,
  aggregate: aggregateOperation,
  read_blob: readBlobOperation,
  list_streams: listStreamsOperation,
  get_stream: getStreamOperation,
  list_records: listRecordsOperation,
  export: exportRecordsOperation,
  ingest: ingestOperation,
  delete_record: deleteRecordOperation,
  healthz: healthzOperation,
  openapi: openapiDocument,
  protected_resource: protectedResourceOperation,
} as const;

/** Everything that may be asked, by name and type. */
export type Operations = typeof operations;

/** The name of an operation. */
export type OperationName = keyof Operations;
