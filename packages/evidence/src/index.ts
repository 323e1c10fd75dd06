export {
  type BinaryMetadata,
  type BlobRef,
  binaryMetadataSchema,
  blobRefSchema,
  describeBinaryText,
  describeBlob,
  isBinaryText,
} from "./binary.ts";
export { countJsonBytes, fitText, type Measure, shareOut } from "./budget.ts";
export {
  CARD_LINE_CHARS,
  type Card,
  cardSchema,
  createCard,
  type Role,
  type RoleFields,
  roleSchema,
} from "./card.ts";
export {
  charOfUnit,
  countBytes,
  countChars,
  findLoneSurrogate,
  isCharBorder,
  sliceChars,
  unitOfChar,
} from "./code-points.ts";
export { CodedError, type CodedErrorDetails } from "./coded-error.ts";
export { formatCommandLine } from "./command-line.ts";
export {
  type Argument,
  type CallWriter,
  type Continuation,
  continuationSchema,
  operationNameSchema,
} from "./continuation.ts";
export { type CursorContent, type CursorExpectation, openCursor, type Sealer, sealCursor } from "./cursor.ts";
export { createEvidence, type Evidence, evidenceSchema, type Proof } from "./evidence.ts";
export {
  classifyValue,
  type FieldKind,
  fieldKindSchema,
  gradeSize,
  isTextLike,
  type SizeGrade,
  sizeGradeSchema,
  type ValueFacts,
} from "./field-kind.ts";
export {
  type FieldPath,
  formatFieldPath,
  MAX_PATH_CHARS,
  parseFieldPath,
  requireFieldPath,
  valueAt,
} from "./field-path.ts";
export { type FieldView, shrinkFieldView } from "./field-view.ts";
export {
  type FieldInfo,
  type FieldWindow,
  type FieldWindowText,
  fieldInfoSchema,
  fieldWindowSchema,
  windowSchema,
} from "./field-window.ts";
export {
  type FieldWindowRef,
  formatFieldWindowUri,
  formatRecordUri,
  parseFieldWindowUri,
  parseRecordUri,
} from "./handle.ts";
export {
  type ContentLadder,
  contentLadderSchema,
  type LadderField,
  type LadderRecord,
  ladderFieldSchema,
  ladderRecordSchema,
  type PreviewStatus,
  previewStatusSchema,
} from "./ladder.ts";
export { MATCH_MARKS, markPreview, splitPreview } from "./mark.ts";
export { type Match, matchSchema } from "./match.ts";
export * from "./matcher.ts";
export type { FieldCut } from "./nested.ts";
export { foldToLine, formatJsonLine } from "./one-line.ts";
export { cutPreview, type Preview, type PreviewSource } from "./preview.ts";
export * from "./query.ts";
export { fitsAnId, formatRecordId, identifyRecord, type NamedRecord, parseRecordId } from "./record-id.ts";
export { createRecordRung } from "./record-ladder.ts";
export {
  canonicalKey,
  connectionIdSchema,
  RECORD_ID_MAX_CHARS,
  type RecordIdentity,
  type RecordRef,
  recordIdentitySchema,
  recordIdSchema,
  recordRefSchema,
  SEGMENT_MAX_CHARS,
  streamNameSchema,
} from "./record-ref.ts";
export { type RecordSource, type RecordView, type ViewedField, viewRecord } from "./record-view.ts";
export { type ErrorText, renderError } from "./render/error.ts";
export { renderLabel } from "./render/label.ts";
export { type RenderOptions, TEXT_DEFAULT_BYTES } from "./render/options.ts";
export { type PageRecord, type RecordPage, renderPage } from "./render/page.ts";
export { renderRecord } from "./render/record.ts";
export { renderSearch } from "./render/search.ts";
export { renderWindow } from "./render/window.ts";
export {
  type SearchHit,
  type SearchMeta,
  type SearchPage,
  searchHitSchema,
  searchMetaSchema,
  searchPageSchema,
} from "./search-hit.ts";
export { createSearchLadder } from "./search-ladder.ts";
export {
  AROUND_DEFAULT_CHARS,
  AROUND_MAX_CHARS,
  requireWindowSelector,
  WINDOW_DEFAULT_CHARS,
  WINDOW_MAX_CHARS,
  type WindowSelector,
  type WindowSelectorInput,
  windowSelectorSchema,
  windowSelectorShape,
} from "./selector.ts";
export { createSnippet, type Snippet } from "./snippet.ts";
export * from "./tokens.ts";
export { formatToolCall, parseToolCall } from "./tool-call.ts";
export { type CutWindow, cutWindow, requestNeighbours, type TextSlice } from "./window.ts";
export {
  openWindowCursor,
  requireFreshWindow,
  sealWindowCursor,
  type WindowPosition,
  type WindowTarget,
} from "./window-cursor.ts";
export {
  type AdjacentRequest,
  type CharRange,
  planWindow,
  type WindowRequest,
} from "./window-request.ts";
