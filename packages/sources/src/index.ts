export { listSecretVariables } from "./connector/installed.ts";
export type * from "./live-source.ts";
export { liveSources, readsThisMachine, requireSource } from "./live-sources.ts";
export { formatOAuthSecret, type OAuthSettings, oauthProviders } from "./oauth/settings.ts";
export { startBrowserSignIn, startDeviceSignIn } from "./oauth/sign-in.ts";
export { keepSyncing } from "./run/keep-syncing.ts";
export { answerSync, type OwnerAnswer, requireQuestion } from "./run/questions.ts";
export { type RunOptions, runSync, type SyncContext } from "./run/run-sync.ts";
export { listRuns, type SyncQuestion, type SyncRun } from "./run/sync-run.ts";
export {
  addSync,
  changeSecret,
  listSyncs,
  pauseSync,
  removeSync,
  runSoon,
  type SyncRequest,
  type SyncSummary,
} from "./run/syncs.ts";
export { findKeychain, type Keychain } from "./secrets/keychain.ts";
export { createSecretKeeper, type SecretKeeper } from "./secrets/secret-keeper.ts";
