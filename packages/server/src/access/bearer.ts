import { createHash, randomBytes } from "node:crypto";
import { ApiError } from "@rungs/contract";

/** RFC 6750 §2.1; the scheme is case-insensitive. */
const BEARER = /^bearer +(?<token>[A-Za-z0-9._~+/-]{1,512}=*) *$/i;

/** Reads the token from an `Authorization` header, the only accepted place. */
export function requireBearer(header: string | undefined): string {
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) throw new ApiError("missing_token");
  const token = BEARER.exec(header)?.groups?.token;
  if (token === undefined) throw new ApiError("invalid_token");
  return token;
}

/** Creates a token of 256 random bits. The prefix is for people and secret scanners and does not depend on the kind. */
export function createToken(): string {
  return `rungs_${randomBytes(32).toString("base64url")}`;
}

/** The only form in which a token is stored (R53). */
export function digestToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
