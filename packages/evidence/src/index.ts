export {
  type FieldPath,
  formatFieldPath,
  MAX_PATH_CHARS,
  parseFieldPath,
  requireFieldPath,
  valueAt,
} from "./address/field-path.ts";
export {
  type FieldWindowRef,
  formatFieldWindowUri,
  formatRecordUri,
  parseFieldWindowUri,
  parseRecordUri,
} from "./address/handle.ts";
export {
  fitsAnId,
  formatRecordId,
  identifyRecord,
  type NamedRecord,
  parseRecordId,
} from "./address/record-id.ts";
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
} from "./address/record-ref.ts";
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
} from "./address/selector.ts";
export { CodedError, type CodedErrorDetails } from "./coded-error.ts";
export { type Argument, type CallWriter, type Continuation, continuationSchema } from "./continuation.ts";
export {
  type BinaryMetadata,
  type BlobRef,
  binaryMetadataSchema,
  blobRefSchema,
  describeBinaryText,
  describeBlob,
  isBinaryText,
} from "./record/binary.ts";
export {
  CARD_LINE_CHARS,
  type Card,
  cardSchema,
  createCard,
  type Role,
  type RoleFields,
  roleSchema,
} from "./record/card.ts";
export {
  classifyValue,
  type FieldKind,
  fieldKindSchema,
  gradeSize,
  isTextLike,
  type SizeGrade,
  sizeGradeSchema,
  type ValueFacts,
} from "./record/field-kind.ts";
export { type FieldView, shrinkFieldView } from "./record/field-view.ts";
export {
  type ContentLadder,
  contentLadderSchema,
  type LadderField,
  type LadderRecord,
  ladderFieldSchema,
  ladderRecordSchema,
  type PreviewStatus,
  previewStatusSchema,
} from "./record/ladder.ts";
export type { FieldCut } from "./record/nested.ts";
export { createRecordRung } from "./record/record-ladder.ts";
export { type RecordSource, type RecordView, type ViewedField, viewRecord } from "./record/record-view.ts";
export { createEvidence, type Evidence, evidenceSchema, type Proof } from "./search/evidence.ts";
export { MATCH_MARKS, markPreview, splitPreview } from "./search/mark.ts";
export { cutPreview, type Preview, type PreviewSource } from "./search/preview.ts";
export {
  type SearchHit,
  type SearchMeta,
  type SearchPage,
  searchHitSchema,
  searchMetaSchema,
  searchPageSchema,
} from "./search/search-hit.ts";
export { createSearchLadder } from "./search/search-ladder.ts";
export { createSnippet, type Snippet } from "./search/snippet.ts";
export { countJsonBytes, fitText, type Measure, shareOut } from "./text/budget.ts";
export {
  charOfUnit,
  countBytes,
  countChars,
  findLoneSurrogate,
  isCharBorder,
  sliceChars,
  unitOfChar,
} from "./text/code-points.ts";
export { type Match, matchSchema } from "./text/match.ts";
export * from "./text/matcher.ts";
export { foldToLine, formatJsonLine } from "./text/one-line.ts";
export * from "./text/query.ts";
export * from "./text/tokens.ts";
export {
  type CursorContent,
  type CursorExpectation,
  openCursor,
  type Sealer,
  sealCursor,
} from "./window/cursor.ts";
export {
  type FieldInfo,
  type FieldWindow,
  type FieldWindowText,
  fieldInfoSchema,
  fieldWindowSchema,
  windowSchema,
} from "./window/field-window.ts";
export { type CutWindow, cutWindow, requestNeighbours, type TextSlice } from "./window/window.ts";
export {
  openWindowCursor,
  requireFreshWindow,
  sealWindowCursor,
  type WindowPosition,
  type WindowTarget,
} from "./window/window-cursor.ts";
export {
  type AdjacentRequest,
  type CharRange,
  planWindow,
  type WindowRequest,
} from "./window/window-request.ts";
