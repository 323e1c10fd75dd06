export { describeRefusal, type ErrorBody, errorBodySchema } from "./errors/error-body.ts";
export type { ErrorRow, ErrorType } from "./errors/error-row.ts";
export { ApiError, type ErrorCode, errorRegistry, isErrorCode } from "./errors/errors.ts";
export { firstProblem, plainMessages } from "./errors/problem.ts";
export type { MaskChoice } from "./grant/apply-masks.ts";
export { type ClientDisplay, parseClientDisplay } from "./grant/client-display.ts";
export { type Condition, type ConditionValue, conditionSchema, foldValue } from "./grant/condition.ts";
export { parseCondition, renderCondition } from "./grant/condition-text.ts";
export { type Exclusion, exclusionSchema, isInPlace } from "./grant/exclusion.ts";
export {
  DATA_ACCESS_TYPE,
  type Grant,
  type GrantBudget,
  type GrantDetail,
  type GrantStream,
  grantSchema,
  listClientDetails,
  type StreamMasks,
} from "./grant/grant.ts";
export {
  EVERY_STREAM,
  requireSelectionRequests,
  type SelectionRequest,
  type StreamRequest,
  selectionRequestSchema,
} from "./grant/grant-request.ts";
export {
  applyExclusions,
  grantKey,
  isChosen,
  narrowScope,
  needsParent,
  ownerScope,
  resolveScope,
  type ScopeChoice,
} from "./grant/grant-scope.ts";
export type { ParentScope, ReadScope, StreamScope } from "./grant/read-scope.ts";
export type { GrantableConnection } from "./grant/resolve-detail.ts";
export { ambiguousConnection, type ConnectionChoice } from "./grant/resolve-detail.ts";
export { type GrantInput, requireOnePurpose, resolveGrant } from "./grant/resolve-grant.ts";
export { findConditionFault, listSelectable } from "./grant/resolve-where.ts";
export { toJsonSchema } from "./json-schema/from-zod.ts";
export type { JsonSchema, JsonType } from "./json-schema/index.ts";
export { listCheckpoints } from "./manifest/checkpoints.ts";
export {
  type ConnectorManifest,
  type ConnectorStream,
  convertConnectorManifest,
  isConnectorManifest,
  requireConnectorManifest,
} from "./manifest/connector-manifest.ts";
export { exampleManifest } from "./manifest/example-manifest.ts";
export {
  type Manifest,
  type ManifestStream,
  manifestSchema,
  PROTOCOL_VERSION,
  TABLE_SOURCE_IDS,
} from "./manifest/manifest-schema.ts";
export { requireManifest } from "./manifest/require-manifest.ts";
export {
  describeStream,
  type FieldShape,
  findThread,
  listThreadFields,
  narrowShape,
  type StreamShape,
  seesThreads,
} from "./manifest/stream-shape.ts";
export { createOpenApi, type OpenApiOptions } from "./openapi/document.ts";
export {
  type OperationName,
  type Operations,
  operations,
  READ_NAMES,
  type ReadName,
} from "./operation-table.ts";
export { putStateBody } from "./operations/collection.ts";
export {
  createSubscriptionBody,
  type EventSubscription,
  updateSubscriptionBody,
} from "./operations/event-subscriptions.ts";
export {
  type FieldRead,
  fieldReadInputSchema,
  fieldReadJsonSchema,
  requireFieldRead,
} from "./operations/field-read.ts";
export type { AnswerForm, InputOf, Operation, OutputOf } from "./operations/operation.ts";
export { continueThread, type Thread } from "./operations/read-thread.ts";
export { QUERY_HELP } from "./operations/search.ts";
export {
  createList,
  FILTERS_MAX,
  type Freshness,
  type ListParts,
  listSchema,
  type PageLimits,
  RECORD_PAGE,
  REJECTIONS_MAX,
  SEARCH_PAGE,
  THREAD_REACH,
  VALUE_CHARS,
  type Warning,
} from "./pagination/pagination.ts";
export { isNumeric, requireAggregation } from "./query/aggregation.ts";
export { type FieldFilter, type FilterOp, parseFilters, requireComparable } from "./query/filter.ts";
export { offerPeriod } from "./query/find-period.ts";
export type { ImportedItem, ImportedRecord, RejectedItem } from "./record/imported-item.ts";
export {
  type Cut,
  collectedRecordSchema,
  markCut,
  type OutgoingRecord,
  type RecordEnvelope,
  recordEnvelopeSchema,
  recordSchema,
  restoreCuts,
  type Tombstone,
  tombstoneSchema,
} from "./record/record.ts";
export { createRecordCheck } from "./record/record-check.ts";
export { isKey } from "./record/record-key.ts";
export { formatRecordPage, requireRecordOfPage } from "./record/record-page.ts";
export { isTooDeep, RECORD_MAX_DEPTH } from "./record/record-text.ts";
export { parseTimeMs } from "./record/time.ts";
export { dropGroups, renderAggregate, shortenGroups } from "./render/aggregate.ts";
export { type BlobView, renderBlob } from "./render/blob.ts";
export {
  BUDGET_HEADER,
  type BudgetLeft,
  formatBudgetLeft,
  parseBudgetLeft,
  renderBudgetLeft,
  SHORTENS_HEADER,
} from "./render/budget.ts";
export { type ErrorText, renderError } from "./render/error.ts";
export { findMostDetail } from "./render/fit.ts";
export { renderLabel } from "./render/label.ts";
export { formatToolCall, type Renderer, type RenderOptions, TEXT_DEFAULT_BYTES } from "./render/options.ts";
export { type PageRecord, type RecordPage, renderPage, renderSnippet } from "./render/page.ts";
export { presentRecord } from "./render/present-record.ts";
export { splitQuotes } from "./render/quoted-text.ts";
export { renderRecord } from "./render/record.ts";
export { listRetries } from "./render/retries.ts";
export { renderSchema, renderSchemaBriefly } from "./render/schema.ts";
export { renderSearch } from "./render/search.ts";
export { adviseSearch } from "./render/search-coverage.ts";
export { chooseNearest, renderThread } from "./render/thread.ts";
export { listValueLines } from "./render/value-lines.ts";
export { renderWindow } from "./render/window.ts";
export { type ByteLine, splitLines } from "./wire/split-lines.ts";
export { CONTRACT_VERSION, PDPP_VERSIONS, type PdppVersion, SPECIFICATION_VERSION } from "./wire/version.ts";
export { requireBody, requireInput, type WireCall, type WireRequest, writeCall } from "./wire/wire.ts";
