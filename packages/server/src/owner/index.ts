export { listOffers, selectChosen } from "../oauth/consent/offers.ts";
export { listAudit } from "./audit.ts";
export { describeEvent } from "./audit-events.ts";
export { type ConnectionSummary, listConnections, putConnection } from "./connections.ts";
export {
  type CreatedGrant,
  createGrant,
  type GrantOrder,
  listGrants,
  requireGrant,
  revokeGrant,
} from "./grants.ts";
export { createTimelineReader, type Timeline, type TimelineReader } from "./histogram.ts";
export { createIntrospectionCredential } from "./introspectors.ts";
export { createLoginLink, LOGIN_LINK_MS } from "./login-links.ts";
export { ensureOwner, type OwnerParts } from "./owner-context.ts";
export { hasPassword, removePassword, setPassword } from "./password.ts";
export { endSession, findSession, listSessions, type OpenSession, type Session } from "./sessions.ts";
export { createSignIn, type SignIn } from "./sign-in.ts";
export { listTokens, revokeToken, type TokenSummary } from "./token-list.ts";
export { createOwnerToken, OWNER_TOKEN_MS } from "./tokens.ts";
