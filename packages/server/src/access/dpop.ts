/**
 * Proofs of possession (DPoP, RFC 9449): a client that has a key gets tokens that work only with proofs of that key. Such a
 * token is stored under a digest that includes the key, so that it cannot be found without one.
 */
import { createHash } from "node:crypto";
import { ApiError } from "@rungs/contract";
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from "jose";
import { digestToken } from "./bearer.ts";

/** The algorithms of proofs. */
export const DPOP_ALGORITHMS = ["ES256", "Ed25519", "EdDSA"];
/** How old, or how far in the future, a proof may be. */
const WINDOW_MS = 60_000;
/** Longer proofs are not parsed. */
const PROOF_MAX_CHARS = 4_096;
/** How many proofs are remembered, so that none works twice; beyond that, new ones are refused until some expire. */
const REMEMBERED_MAX = 100_000;

/** The request that a proof is for. */
export interface ProvenRequest {
  readonly method: string;
  /** The address that the client sees. */
  readonly url: string;
  readonly token: string;
}

/** Verifies proofs; each works once. */
export interface ProofChecker {
  /** Returns the thumbprint of the proof's key, or throws `invalid_token`. */
  requireProof(proof: string | undefined, request: ProvenRequest): Promise<string>;
}

/** The digest under which a token is stored that is bound to a key; that of the token itself when it is not. */
export function bindDigest(digest: string, thumbprint: string | undefined): string {
  return thumbprint === undefined ? digest : digestToken(`${digest} ${thumbprint}`);
}

/** Creates a checker that remembers the proofs that it has seen for as long as they would be accepted. */
export function createProofChecker(now: () => number): ProofChecker {
  /** When each expires, in the order of arrival. */
  const seen = new Map<string, number>();

  function requireNew(key: string, now_ms: number): void {
    for (const [old, expires_ms] of seen) {
      if (expires_ms > now_ms) break;
      seen.delete(old);
    }
    if (seen.has(key)) throw refuse("was used before");
    if (seen.size >= REMEMBERED_MAX) throw refuse("came after too many others");
    seen.set(key, now_ms + 2 * WINDOW_MS);
  }

  return {
    async requireProof(proof, request) {
      if (proof === undefined || proof.length > PROOF_MAX_CHARS) throw refuse("is missing or too long");
      const { payload, thumbprint } = await verify(proof, now());
      requireMatch(payload, request, now());
      requireNew(`${thumbprint} ${payload.jti}`, now());
      return thumbprint;
    },
  };
}

async function verify(proof: string, now_ms: number) {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: DPOP_ALGORITHMS,
      typ: "dpop+jwt",
      currentDate: new Date(now_ms),
    });
    return { payload, thumbprint: await calculateJwkThumbprint(protectedHeader.jwk as never) };
  } catch {
    throw refuse("is not signed by the key that it names");
  }
}

function requireMatch(payload: JWTPayload, { method, url, token }: ProvenRequest, now_ms: number): void {
  const { htm, htu, ath, iat, jti } = payload;
  if (typeof jti !== "string" || jti === "" || jti.length > 256) throw refuse("has no jti");
  if (typeof iat !== "number" || Math.abs(now_ms - iat * 1000) > WINDOW_MS)
    throw refuse("is too old, or from the future (iat)");
  if (htm !== method) throw refuse("is for another method (htm)");
  if (typeof htu !== "string" || stripQuery(htu) !== stripQuery(url))
    throw refuse("is for another address (htu)");
  if (ath !== createHash("sha256").update(token).digest("base64url"))
    throw refuse("is for another token (ath)");
}

/** RFC 9449 §4.3: query and fragment do not count. */
function stripQuery(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.origin + url.pathname;
}

function refuse(problem: string): ApiError {
  return new ApiError("invalid_token", {
    message: `The DPoP proof ${problem}.`,
    next: "Send a new proof with each request (RFC 9449).",
  });
}
