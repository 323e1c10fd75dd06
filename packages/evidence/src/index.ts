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
  streamNameSchema,
} from "./address/record-ref.ts";
export {
  AROUND_DEFAULT_CHARS,
  requireWindowSelector,
  WINDOW_DEFAULT_CHARS,
  WINDOW_MAX_CHARS,
  type WindowSelector,
  windowSelectorSchema,
  windowSelectorShape,
} from "./address/selector.ts";
export { CodedError, type CodedErrorDetails } from "./coded-error.ts";
export { type Argument, type CallWriter, type Continuation, continuationSchema } from "./continuation.ts";
export { type ComputeCode, createMasker, type MaskText } from "./mask/create-masker.ts";
export {
  expressionSchema,
  hasMaskRules,
  type MaskKind,
  type MaskRules,
  maskKindSchema,
  maskRulesSchema,
} from "./mask/mask-rules.ts";
export { labelMember, maskValue } from "./mask/mask-value.ts";
export { createValueTest, type ValueTest } from "./mask/match-value.ts";
export {
  type BinaryMetadata,
  type BlobRef,
  binaryMetadataSchema,
  blobRefSchema,
  describeBinaryText,
  isBinaryText,
  isBlobRef,
} from "./record/binary.ts";
export { type Card, createCard, type Role, type RoleFields, roleSchema } from "./record/card.ts";
export {
  createDecoder,
  type DeclaredContent,
  detectEncoded,
  type EncodedBytes,
  locateByte,
} from "./record/encoded.ts";
export { type FieldView, shrinkFieldView } from "./record/field-view.ts";
export { contentLadderSchema, type LadderField, type LadderRecord } from "./record/ladder.ts";
export type { FieldCut } from "./record/nested.ts";
export { createRecordRung } from "./record/record-ladder.ts";
export { orderFields, type RecordView, viewRecord } from "./record/record-view.ts";
export { compactPage } from "./search/compact-page.ts";
export { createEvidence, type Evidence, evidenceSchema, type Provenance } from "./search/evidence.ts";
export { splitPreview } from "./search/mark.ts";
export {
  type SearchFacets,
  type SearchHit,
  type SearchMeta,
  type SearchPage,
  type SearchWord,
  searchHitSchema,
  searchPageSchema,
} from "./search/search-hit.ts";
export { countLongIdBytes, createSearchLadder, listOpenings, openRecord } from "./search/search-ladder.ts";
export { createSnippet } from "./search/snippet.ts";
export { dropAuthorEvidence, listOtherMatches, shrinkHit } from "./search/trim-evidence.ts";
export { countJsonBytes, fitText, shareOut } from "./text/budget.ts";
export {
  charOfUnit,
  countBytes,
  countChars,
  countHiddenChars,
  findLoneSurrogate,
  foldToLine,
  formatJsonLine,
  isCharBorder,
  sliceChars,
  unitOfChar,
} from "./text/code-points.ts";
export { countEdits } from "./text/edit-distance.ts";
export type { Match } from "./text/match.ts";
export * from "./text/matcher.ts";
export * from "./text/query.ts";
export * from "./text/tokens.ts";
export { openCursor, type Sealer, sealCursor } from "./window/cursor.ts";
export {
  type FieldInfo,
  type FieldWindow,
  type FieldWindowText,
  fieldInfoSchema,
  fieldWindowSchema,
  windowSchema,
} from "./window/field-window.ts";
export { fitWindow, requestNeighbours } from "./window/window.ts";
export {
  openWindowCursor,
  requireFreshWindow,
  sealWindowCursor,
  type WindowTarget,
} from "./window/window-cursor.ts";
export { type AdjacentRequest, planWindow, type WindowRequest } from "./window/window-request.ts";
export { createWindowMeasure, WINDOW_ROOM_BYTES } from "./window/window-room.ts";
