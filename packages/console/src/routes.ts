import { showActivity } from "./pages/activity.ts";
import { exportActivity } from "./pages/activity-export.ts";
import { showConnect } from "./pages/connect.ts";
import { renameByForm, showConnections } from "./pages/connections.ts";
import { decideConsent, showConsent } from "./pages/consent.ts";
import { confirmDelete, deleteByForm } from "./pages/delete.ts";
import { findDevice, showDevice } from "./pages/device.ts";
import { showExplain } from "./pages/explain.ts";
import { showField } from "./pages/field.ts";
import { changeGrantByForm, showGrantChange } from "./pages/grant-change.ts";
import { createGrantByForm, showGrantForm } from "./pages/grant-form.ts";
import { confirmRevoke, revoke, showGrants } from "./pages/grants.ts";
import { addRuleByForm, hideRecordByForm, removeRuleByForm, showHidden } from "./pages/hidden.ts";
import {
  importLookedAt,
  showImport,
  showImportForm,
  stopImportByForm,
  uploadImport,
} from "./pages/import.ts";
import { join, showJoin } from "./pages/join.ts";
import {
  changeQuotaByForm,
  confirmRemove,
  inviteByForm,
  removeByForm,
  showOwners,
  withdrawByForm,
} from "./pages/owners.ts";
import { addPasskey, removeOnePasskey } from "./pages/passkeys.ts";
import { showReceipt } from "./pages/receipt.ts";
import { sendBlob, showAround, showRecord } from "./pages/record.ts";
import { showRecords } from "./pages/records.ts";
import { showSearch } from "./pages/search.ts";
import { changePassword, endOneSession, endOneToken, showSettings } from "./pages/settings.ts";
import { showSignIn, signIn, signOut } from "./pages/sign-in.ts";
import type { Route } from "./request/route.ts";
import {
  addSourceByForm,
  pauseSyncByForm,
  removeSyncByForm,
  runSyncByForm,
  showSync,
  showSyncs,
} from "./syncs/pages.ts";

/** Every route of the console: its pages and forms. */
export const consoleRoutes: readonly Route[] = [
  { method: "GET", path: "/sign-in", is_public: true, show: showSignIn },
  { method: "POST", path: "/sign-in", is_public: true, act: signIn },
  { method: "POST", path: "/sign-out", act: signOut },
  { method: "GET", path: "/join", is_public: true, show: showJoin },
  { method: "POST", path: "/join", is_public: true, act: join },
  { method: "GET", path: "/", show: showConnections },
  { method: "POST", path: "/rename", act: renameByForm },
  { method: "GET", path: "/search", show: showSearch },
  { method: "GET", path: "/streams/:connection_id/:stream", show: showRecords },
  { method: "GET", path: "/records/:record", show: showRecord },
  { method: "GET", path: "/records/:record/field", show: showField },
  { method: "GET", path: "/records/:record/around", show: showAround },
  { method: "GET", path: "/blobs/:blob_id", show: sendBlob },
  { method: "GET", path: "/delete", show: confirmDelete },
  { method: "POST", path: "/delete", act: deleteByForm },
  { method: "GET", path: "/grants", show: showGrants },
  { method: "GET", path: "/grants/new", show: showGrantForm },
  { method: "POST", path: "/grants/new", act: createGrantByForm },
  { method: "GET", path: "/grants/:grant_id/change", show: showGrantChange },
  { method: "POST", path: "/grants/:grant_id/change", act: changeGrantByForm },
  { method: "GET", path: "/grants/:grant_id/revoke", show: confirmRevoke },
  { method: "POST", path: "/grants/:grant_id/revoke", act: revoke },
  { method: "GET", path: "/explain", show: showExplain },
  { method: "GET", path: "/hidden", show: showHidden },
  { method: "POST", path: "/hidden", act: addRuleByForm },
  { method: "POST", path: "/hidden/record", act: hideRecordByForm },
  { method: "POST", path: "/hidden/remove", act: removeRuleByForm },
  { method: "GET", path: "/activity", show: showActivity },
  { method: "GET", path: "/activity/receipt", show: showReceipt },
  { method: "GET", path: "/activity/export", show: exportActivity },
  { method: "GET", path: "/connect", show: showConnect },
  { method: "GET", path: "/import", show: showImportForm },
  { method: "POST", path: "/import", upload: uploadImport },
  { method: "GET", path: "/import/:import_id", show: showImport },
  { method: "POST", path: "/import/:import_id/stop", act: stopImportByForm },
  { method: "POST", path: "/import/:import_id/upload", act: importLookedAt },
  { method: "GET", path: "/sync", show: showSyncs },
  { method: "POST", path: "/sync", act: addSourceByForm },
  { method: "GET", path: "/sync/:sync_id", show: showSync },
  { method: "POST", path: "/sync/:sync_id/run", act: runSyncByForm },
  { method: "POST", path: "/sync/:sync_id/pause", act: pauseSyncByForm },
  { method: "POST", path: "/sync/:sync_id/remove", act: removeSyncByForm },
  { method: "GET", path: "/settings", show: showSettings },
  { method: "POST", path: "/settings/password", act: changePassword },
  { method: "POST", path: "/settings/passkeys", act: addPasskey },
  { method: "POST", path: "/settings/passkeys/remove", act: removeOnePasskey },
  { method: "POST", path: "/settings/sessions", act: endOneSession },
  { method: "POST", path: "/settings/tokens", act: endOneToken },
  { method: "GET", path: "/owners", show: showOwners },
  { method: "POST", path: "/owners/invite", act: inviteByForm },
  { method: "POST", path: "/owners/withdraw", act: withdrawByForm },
  { method: "POST", path: "/owners/quota", act: changeQuotaByForm },
  { method: "GET", path: "/owners/remove", show: confirmRemove },
  { method: "POST", path: "/owners/remove", act: removeByForm },
  { method: "GET", path: "/consent/:uid", show: showConsent },
  { method: "POST", path: "/consent/:uid", act: decideConsent },
  { method: "GET", path: "/device", show: showDevice },
  { method: "POST", path: "/device", act: findDevice },
];
