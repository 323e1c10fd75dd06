import { ApiError } from "@rungs/contract";

/** Node's codes for a connection that cannot be made or is lost, and PostgreSQL's for a server that is not there for us. */
const OUTAGE =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0[1-3]|53300)$/;

/** Says `database_unavailable` for a failure to reach the database, which is no bug; anything else stays what it is. */
export function asOutage(thrown: unknown): unknown {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  return OUTAGE.test(code) ? new ApiError("database_unavailable") : thrown;
}
