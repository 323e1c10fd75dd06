import { aggregate } from "./aggregate.ts";
import { deleteRecord } from "./delete-record.ts";
import { exportRecords } from "./export.ts";
import { fetchRecord } from "./fetch.ts";
import { getStream } from "./get-stream.ts";
import type { GuardedName, Handler, PublicHandler, PublicName } from "./handler.ts";
import { healthz } from "./healthz.ts";
import { ingest } from "./ingest.ts";
import { listRecords } from "./list-records.ts";
import { listStreams } from "./list-streams.ts";
import { openapi } from "./openapi.ts";
import { protectedResource } from "./protected-resource.ts";
import { queryRecords } from "./query-records.ts";
import { readBlob } from "./read-blob.ts";
import { readRecordField } from "./read-record-field.ts";
import { schema } from "./schema.ts";
import { search } from "./search.ts";

/** What answers each operation under a token. */
export const guardedHandlers: { readonly [Name in GuardedName]: Handler<Name> } = {
  schema,
  search,
  fetch: fetchRecord,
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
};

/** What answers each operation that needs no token. */
export const publicHandlers: { readonly [Name in PublicName]: PublicHandler<Name> } = {
  healthz,
  openapi,
  protected_resource: protectedResource,
};
