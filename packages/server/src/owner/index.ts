export { listAudit } from "./audit.ts";
export { type ConnectionSummary, listConnections, putConnection } from "./connections.ts";
export {
  type CreatedGrant,
  createGrant,
  type GrantOrder,
  listGrants,
  requireGrant,
  revokeGrant,
} from "./grants.ts";
export { createIntrospectionCredential } from "./introspectors.ts";
export { createLoginLink, LOGIN_LINK_MS } from "./login-links.ts";
export { listOffers, selectChosen } from "./offers.ts";
export { ensureOwner, type OwnerParts } from "./owner.ts";
export { hasPassword, removePassword, setPassword } from "./password.ts";
export { endSession, findSession, listSessions, type OpenSession, type Session } from "./sessions.ts";
export { createSignIn, type SignIn } from "./sign-in.ts";
export { createTimelineReader, type Timeline, type TimelineReader } from "./timeline.ts";
export { listTokens, revokeToken, type TokenSummary } from "./token-list.ts";
export { createOwnerToken, OWNER_TOKEN_MS } from "./tokens.ts";
export { describeEvent } from "./trail.ts";
