import { aggregateOperation } from "./operations/aggregate.ts";
import {
  getStateOperation,
  ingestStreamOperation,
  putBlobOperation,
  putConnectorOperation,
  putStateOperation,
} from "./operations/collection.ts";
import { deleteRecordOperation } from "./operations/delete-record.ts";
import {
  createEventSubscriptionOperation,
  deleteEventSubscriptionOperation,
  getEventSubscriptionOperation,
  listEventSubscriptionsOperation,
  sendTestEventOperation,
  updateEventSubscriptionOperation,
} from "./operations/event-subscriptions.ts";
import { exportRecordsOperation } from "./operations/export.ts";
import { exportLinkOperation } from "./operations/export-link.ts";
import { fetchOperation } from "./operations/fetch.ts";
import { ingestOperation } from "./operations/ingest.ts";
import { listRecordsOperation } from "./operations/list-records.ts";
import type { Operation, OutputOf } from "./operations/operation.ts";
import { queryRecordsOperation } from "./operations/query-records.ts";
import { readBlobOperation } from "./operations/read-blob.ts";
import { readRecordFieldOperation } from "./operations/read-record-field.ts";
import { readThreadOperation } from "./operations/read-thread.ts";
import { schemaOperation } from "./operations/schema.ts";
import { searchOperation } from "./operations/search.ts";
import {
  healthzOperation,
  indexOperation,
  livezOperation,
  openapiDocument,
  protectedResourceOperation,
  readyzOperation,
} from "./operations/service.ts";
import { getStreamOperation, listConnectorsOperation, listStreamsOperation } from "./operations/streams.ts";
import { watchOperation } from "./operations/watch.ts";
import { renderAggregate } from "./render/aggregate.ts";
import { renderExportLink } from "./render/export-link.ts";
import type { Renderer } from "./render/options.ts";
import { renderPageAnswer, renderRecordAnswer } from "./render/present-record.ts";
import { renderSchema } from "./render/schema.ts";
import { renderSearch } from "./render/search.ts";
import { renderThread } from "./render/thread.ts";
import { renderWindowAnswer } from "./render/window.ts";

/** The reads that MCP and the CLI offer too, and that a continuation may name. */
const readOperations = {
  schema: withText(schemaOperation, renderSchema),
  search: withText(searchOperation, renderSearch),
  fetch: withText(fetchOperation, renderRecordAnswer),
  read_record_field: withText(readRecordFieldOperation, renderWindowAnswer),
  read_thread: withText(readThreadOperation, renderThread),
  query_records: withText(queryRecordsOperation, renderPageAnswer),
  aggregate: withText(aggregateOperation, renderAggregate),
  read_blob: readBlobOperation,
  export_link: withText(exportLinkOperation, renderExportLink),
} as const;

/** Every operation by name. */
export const operations = {
  ...readOperations,
  list_connectors: listConnectorsOperation,
  list_streams: listStreamsOperation,
  get_stream: getStreamOperation,
  list_records: listRecordsOperation,
  watch: watchOperation,
  export: exportRecordsOperation,
  ingest: ingestOperation,
  ingest_stream: ingestStreamOperation,
  get_state: getStateOperation,
  put_state: putStateOperation,
  put_blob: putBlobOperation,
  put_connector: putConnectorOperation,
  delete_record: deleteRecordOperation,
  list_event_subscriptions: listEventSubscriptionsOperation,
  create_event_subscription: createEventSubscriptionOperation,
  get_event_subscription: getEventSubscriptionOperation,
  update_event_subscription: updateEventSubscriptionOperation,
  delete_event_subscription: deleteEventSubscriptionOperation,
  send_test_event: sendTestEventOperation,
  index: indexOperation,
  healthz: healthzOperation,
  livez: livezOperation,
  readyz: readyzOperation,
  openapi: openapiDocument,
  protected_resource: protectedResourceOperation,
} as const;

/** Every operation by name, as a type. */
export type Operations = typeof operations;

/** The name of an operation. */
export type OperationName = keyof Operations;

/** The name of a read that MCP and the CLI offer too. */
export type ReadName = keyof typeof readOperations;

/** The names of the reads that MCP and the CLI offer too. */
export const READ_NAMES = Object.keys(readOperations) as ReadName[];

/** Adds the renderer of its answers to an operation. */
function withText<O extends Operation>(operation: O, render: Renderer<OutputOf<O>>) {
  return { ...operation, render };
}
