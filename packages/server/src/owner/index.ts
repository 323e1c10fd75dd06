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
export { ensureOwner, type OwnerParts } from "./owner.ts";
export { createOwnerToken } from "./tokens.ts";
