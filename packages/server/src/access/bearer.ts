import { createHash, randomBytes } from "node:crypto";
import { ApiError } from "@rungs/contract";

/** RFC 6750 §2.1 and RFC 9449 §7.1; the scheme is case-insensitive. */
const CREDENTIAL = /^(?<scheme>bearer|dpop) +(?<token>[A-Za-z0-9._~+/-]{1,8192}=*) *$/i;

/** A token, and how it was presented. */
export interface Credential {
  readonly token: string;
  /** Whether a proof has to come with it. */
  readonly isProven: boolean;
}

/** Reads the token from an `Authorization` header, the only accepted place. */
export function requireCredential(header: string | undefined): Credential {
  if (header === undefined || !/^(?:bearer|dpop)(?: |$)/i.test(header)) throw new ApiError("missing_token");
  const { scheme = "", token } = CREDENTIAL.exec(header)?.groups ?? {};
  if (token === undefined) throw new ApiError("invalid_token");
  return { token, isProven: scheme.toLowerCase() === "dpop" };
}

/** Creates a token of 256 random bits. The prefix is for people and secret scanners and does not depend on the kind. */
export function createToken(): string {
  return `rungs_${randomBytes(32).toString("base64url")}`;
}

/** The only form in which a token is stored (R53). */
export function digestToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The digest under which a token is stored that is bound to a key; that of the token itself when it is not. */
export function bindDigest(digest: string, thumbprint: string | undefined): string {
  return thumbprint === undefined ? digest : digestToken(`${digest} ${thumbprint}`);
}
