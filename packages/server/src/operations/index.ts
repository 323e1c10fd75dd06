import { handleExportRecords } from "./export.ts";
import type { GuardedName, Handler, PublicHandler, PublicName } from "./handler.ts";
import { handleIngest } from "./ingest.ts";
import { handleListRecords } from "./list-records.ts";
import { handleHealthz, handleProtectedResource, openapi } from "./public.ts";
import { handleReadBlob } from "./read-blob.ts";
import {
  fetchRecord,
  handleAggregate,
  handleDeleteRecord,
  handleQueryRecords,
  handleReadRecordField,
} from "./records.ts";
import { handleSearch } from "./search.ts";
import { handleGetStream, handleListStreams, handleSchema } from "./streams.ts";

/** What answers each operation under a token. */
export const guardedHandlers: { readonly [Name in GuardedName]: Handler<Name> } = {
  schema: handleSchema,
  search: handleSearch,
  fetch: fetchRecord,
  read_record_field: handleReadRecordField,
  query_records: handleQueryRecords,
  aggregate: handleAggregate,
  read_blob: handleReadBlob,
  list_streams: handleListStreams,
  get_stream: handleGetStream,
  list_records: handleListRecords,
  export: handleExportRecords,
  ingest: handleIngest,
  delete_record: handleDeleteRecord,
};

/** What answers each operation that needs no token. */
export const publicHandlers: { readonly [Name in PublicName]: PublicHandler<Name> } = {
  healthz: handleHealthz,
  openapi,
  protected_resource: handleProtectedResource,
};
