export { createProofChecker } from "./access/dpop.ts";
export { type AuthorizationServerOptions, isProtected } from "./access/remote/authorization-server.ts";
export { createRemoteTokens } from "./access/remote/remote-tokens.ts";
export { createTokenLimit } from "./access/shares.ts";
export {
  createToken,
  digestToken,
  findDigest,
  requireAccess,
  requireCredential,
  type TokenSource,
} from "./access/tokens.ts";
export { createTurns, type Turn } from "./access/turns.ts";
export { createServer } from "./create-server.ts";
export { createSealer, openSealer } from "./cursor/page-cursor.ts";
export { allowEventAddress, forbidEventAddress, listEventAddresses } from "./events/callback-address.ts";
export { createEventRound, keepSendingEvents } from "./events/send-events.ts";
export { type ImportResult, type ImportTarget, importItems } from "./ingest/import-items.ts";
export { type IngestTarget, ingestLines } from "./ingest/ingest-lines.ts";
export type { ItemPlace, LinePlace, Rejection, Tally } from "./ingest/tally.ts";
export { addMetrics } from "./metrics/add-metrics.ts";
export { createMeter, type Meter } from "./metrics/meter.ts";
export { listServers, type ServerStatus, sendHeartbeats } from "./metrics/servers.ts";
export { listErrorHeaders } from "./middleware/handle-error.ts";
export { findTrace, formatFailure, PROVEN_KEY } from "./middleware/pipeline.ts";
export { addOAuth } from "./oauth/add-oauth.ts";
export type * from "./oauth/consent/consents-port.ts";
export {
  type ChoicePreview,
  listAllGrantable,
  previewChoice,
  writeGrantRequest,
} from "./oauth/consent/grantable-streams.ts";
export { createOAuth, type OAuth, type OAuthOptions } from "./oauth/create-oauth.ts";
export type { ClientDocuments } from "./oauth/provider/client-documents.ts";
export {
  acceptInvitation,
  changeOwner,
  findInvited,
  hasSeveralOwners,
  INVITATION_MS,
  type Invitation,
  inviteOwner,
  listOwners,
  type OwnerList,
  removeOwner,
  requireAccount,
  requireAdmin,
  runsServer,
  withdrawInvitation,
} from "./owner/accounts.ts";
export { type ActivityReader, createActivityReader } from "./owner/activity-days.ts";
export { describeEvent, listAudit, OWNER_CLIENT, recordEvent } from "./owner/audit-events.ts";
export {
  AUDIT_DAYS,
  expireAudit,
  expireAudits,
  getAuditDays,
  setAuditDays,
} from "./owner/audit-retention.ts";
export {
  type ChangeableGrant,
  changeGrant,
  describeGrantChoice,
  draftPreset,
  type GrantChange,
  openGrantChange,
  previewGrantChange,
} from "./owner/change-grant.ts";
export {
  type ConnectionSummary,
  listConnections,
  listSources,
  putConnection,
  renameConnection,
  type SourceNames,
} from "./owner/connections.ts";
export {
  type Deletion,
  type DeletionPreview,
  type DeletionRequest,
  deleteData,
  parseDeletionTarget,
  previewDeletion,
} from "./owner/deletion.ts";
export {
  chooseEmbeddings,
  describeEmbeddings,
  type EmbeddingRun,
  embedRecords,
  keepEmbedding,
} from "./owner/embeddings.ts";
export { endEventSubscription, listEventSubscriptions } from "./owner/event-subscriptions.ts";
export {
  addExclusion,
  countHidden,
  type ExclusionPreview,
  finishExclusions,
  type HiddenStream,
  listExclusions,
  previewExclusion,
  removeExclusion,
} from "./owner/exclusions.ts";
export { type ExplainedRule, type Explanation, explainRecord, renderExclusion } from "./owner/explain.ts";
export { type CountedValue, type FieldValues, listFieldValues } from "./owner/field-values.ts";
export {
  type CreatedGrant,
  createGrant,
  type GrantRequest,
  listGrants,
  requireGrant,
  revokeGrant,
} from "./owner/grants.ts";
export {
  findImportRun,
  type ImportedConnection,
  type ImportRecorder,
  type ImportRun,
  type ImportRunEnd,
  type ImportRunProgress,
  isImportRunning,
  listImportRuns,
  recordImport,
  stopImport,
} from "./owner/import-runs.ts";
export { createIntrospectionCredential } from "./owner/introspectors.ts";
export { copyMaskedRecords, keepRecordsReady } from "./owner/keep-ready.ts";
export { asProgram, ensureOwner, type OwnerContext } from "./owner/owner-context.ts";
export {
  findPasskeySite,
  listPasskeys,
  offerAssertion,
  offerRegistration,
  type Passkey,
  type PasskeySite,
  registerPasskey,
  removePasskey,
  requirePasskey,
} from "./owner/passkeys.ts";
export { hasPassword, removePassword, setPassword } from "./owner/password.ts";
export {
  applyPreset,
  type GrantPreset,
  listPresets,
  removePreset,
  requirePreset,
  savePreset,
} from "./owner/presets.ts";
export { previewGrant } from "./owner/preview-grant.ts";
export {
  CONSOLE_CLIENT,
  endSession,
  findSession,
  isFreshSession,
  listSessions,
  type OpenSession,
  type Session,
} from "./owner/sessions.ts";
export {
  createLoginLink,
  createSignIn,
  type GivenPassword,
  LOGIN_LINK_MS,
  type SignIn,
} from "./owner/sign-in.ts";
export { isGrantActive, type OwnerStatus, readStatus } from "./owner/status.ts";
export { listTokens, revokeToken, type TokenSummary } from "./owner/token-list.ts";
export { createOwnerToken, createWriteToken, OWNER_TOKEN_MS } from "./owner/tokens.ts";
export { measureSource, readUsage, type StreamSize } from "./owner/usage.ts";
export { type Limits, limits } from "./settings/limits.ts";
export type { Log, LogEntry, ServerOptions, Stopping } from "./settings/options.ts";
export { PROGRAM_VERSION } from "./settings/version.ts";
