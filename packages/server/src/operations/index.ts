import { handleGetState, handlePutBlob, handlePutConnector, handlePutState } from "./collection.ts";
import {
  handleCreateSubscription,
  handleDeleteSubscription,
  handleGetSubscription,
  handleListSubscriptions,
  handleSendTestEvent,
  handleUpdateSubscription,
} from "./event-subscriptions.ts";
import { handleExport, handleExportLink } from "./export.ts";
import type { GuardedName, Handler, PublicHandler, PublicName } from "./handler.ts";
import { handleIngest, handleIngestStream } from "./ingest.ts";
import { handleListRecords } from "./list-records.ts";
import {
  handleHealthz,
  handleIndex,
  handleLivez,
  handleOpenapi,
  handleProtectedResource,
  handleReadyz,
} from "./public.ts";
import { handleReadBlob } from "./read-blob.ts";
import { handleReadThread } from "./read-thread.ts";
import {
  handleAggregate,
  handleDeleteRecord,
  handleFetch,
  handleQueryRecords,
  handleReadRecordField,
} from "./records.ts";
import { handleSearch } from "./search.ts";
import { handleGetStream, handleListConnectors, handleListStreams, handleSchema } from "./streams.ts";
import { handleWatch } from "./watch.ts";

/** The handlers of operations that need a token. */
export const guardedHandlers: { readonly [Name in GuardedName]: Handler<Name> } = {
  schema: handleSchema,
  search: handleSearch,
  fetch: handleFetch,
  read_record_field: handleReadRecordField,
  read_thread: handleReadThread,
  query_records: handleQueryRecords,
  aggregate: handleAggregate,
  read_blob: handleReadBlob,
  export_link: handleExportLink,
  list_connectors: handleListConnectors,
  list_streams: handleListStreams,
  get_stream: handleGetStream,
  list_records: handleListRecords,
  watch: handleWatch,
  export: handleExport,
  ingest: handleIngest,
  ingest_stream: handleIngestStream,
  get_state: handleGetState,
  put_state: handlePutState,
  put_blob: handlePutBlob,
  put_connector: handlePutConnector,
  delete_record: handleDeleteRecord,
  list_event_subscriptions: handleListSubscriptions,
  create_event_subscription: handleCreateSubscription,
  get_event_subscription: handleGetSubscription,
  update_event_subscription: handleUpdateSubscription,
  delete_event_subscription: handleDeleteSubscription,
  send_test_event: handleSendTestEvent,
};

/** The handlers of operations that need no token. */
export const publicHandlers: { readonly [Name in PublicName]: PublicHandler<Name> } = {
  index: handleIndex,
  healthz: handleHealthz,
  livez: handleLivez,
  readyz: handleReadyz,
  openapi: handleOpenapi,
  protected_resource: handleProtectedResource,
};
