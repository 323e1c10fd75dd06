/** Tokens: how a request presents one, under which digest it is stored, and whether it is valid now. */
import { createHash, randomBytes } from "node:crypto";
import { ApiError, parseTimeMs } from "@rungs/contract";
import type { Access, StoredToken } from "@rungs/store";
import { isOwnResource } from "./audience.ts";
import type { DpopProof, ProofChecker } from "./dpop.ts";

/** RFC 6750 §2.1 and RFC 9449 §7.1; the scheme is case-insensitive. */
const CREDENTIAL = /^(?<scheme>bearer|dpop) +(?<token>[A-Za-z0-9._~+/-]{1,8192}=*) *$/i;

/** A token, and how it was presented. */
export interface Credential {
  readonly token: string;
  /** Whether it needs a proof. */
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

/** The digest under which a key-bound token is stored; for an unbound token, its own digest. */
export function bindDigest(digest: string, thumbprint: string | undefined): string {
  return thumbprint === undefined ? digest : digestToken(`${digest} ${thumbprint}`);
}

/** The request that presents a credential. */
interface PresentingRequest {
  readonly method: string;
  /** The address that the client sees. */
  readonly url: string;
  /** The header `DPoP`. */
  readonly proof: string | undefined;
}

/**
 * The digest under which a presented token is looked up. The lookup alone decides what a token may do, never its form:
 * a key-bound token is found only with a proof of its key, and an unbound one only without a proof.
 */
export async function findDigest(
  { token, isProven }: Credential,
  { method, url, proof }: PresentingRequest,
  proofs: ProofChecker,
): Promise<PresentedToken> {
  const proven = isProven ? await proofs.requireProof(proof, { method, url, token }) : undefined;
  return { digest: bindDigest(digestToken(token), proven?.thumbprint), proof: proven };
}

/** A token that was presented: where it is stored, and the proof that came with it. */
export interface PresentedToken {
  readonly digest: string;
  readonly proof: DpopProof | undefined;
}

/** Where to look up tokens: the store, or another authorization server, which needs the token itself. */
export interface TokenSource {
  findAccess(digest: string, token?: string): Promise<Access | undefined>;
}

/** A token to look up: its digest, and the token itself if it was presented now. */
interface LookedUp {
  readonly digest: string;
  readonly token?: string | undefined;
}

/** Looks up a token; throws unless it works for `audience` at this moment. */
export async function requireAccess(
  { digest, token }: LookedUp,
  tokens: TokenSource,
  now_ms: number,
  audience: string,
): Promise<Access> {
  const access = await tokens.findAccess(digest, token);
  if (!access || !isLive(access.token, now_ms) || !isFor(access.token, audience)) {
    throw new ApiError("invalid_token");
  }
  return access;
}

const KINDS: readonly StoredToken["kind"][] = ["owner", "client", "writer"];

/** Whether a token is of a known kind and has neither expired nor been revoked. */
export function isLive({ kind, expires_at, revoked_at }: StoredToken, now_ms: number): boolean {
  if (revoked_at !== undefined || !KINDS.includes(kind)) return false;
  if (expires_at === undefined) return true;
  const expires_at_ms = parseTimeMs(expires_at);
  return expires_at_ms !== undefined && expires_at_ms > now_ms;
}

/** A token that the owner created by hand has no audience and works on any server of the store. */
function isFor({ audience: made_for }: StoredToken, audience: string): boolean {
  return made_for === undefined || isOwnResource(made_for, audience);
}
