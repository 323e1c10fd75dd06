/**
 * Proofs of possession (DPoP, RFC 9449): a client with a key gets tokens that work only with proofs of that key. A
 * bound token is stored under a digest that includes the key, so that no lookup finds it without a proof.
 */
import { createHash } from "node:crypto";
import { ApiError } from "@rungs/contract";
import type { Store } from "@rungs/store";
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from "jose";
import { createDpopNonces, type DpopNonces, readNonceSecret } from "./dpop-nonces.ts";
import { digestToken } from "./tokens.ts";

/** The algorithms of proofs. */
export const DPOP_ALGORITHMS = ["ES256", "Ed25519", "EdDSA"];
/** How old, or how far in the future, a proof may be. */
const WINDOW_MS = 60_000;
/** Longer proofs are not parsed. */
const PROOF_MAX_CHARS = 4_096;

/** The request that a proof is for. */
export interface ProvenRequest {
  readonly method: string;
  /** The address that the client sees. */
  readonly url: string;
  readonly token: string;
}

/** A proof that fits its request. */
export interface DpopProof {
  /** The thumbprint of its key. */
  readonly thumbprint: string;
  /** Its identity, to detect reuse. */
  readonly key: string;
}

/** Verifies proofs; each works once. */
export interface ProofChecker {
  /** Verifies the proof of a request, or throws `invalid_token`. */
  requireProof(proof: string | undefined, request: ProvenRequest): Promise<DpopProof>;
  /**
   * Throws when any process has seen the proof before. Call it only for a token that was found: nobody else can then
   * fill the memory.
   */
  requireFirstUse(proof: DpopProof, owner_id: string): Promise<void>;
}

/** Creates a checker; the store remembers each used proof until it would be too old to accept. */
export function createProofChecker(store: Store, now: () => number): ProofChecker {
  let nonces: Promise<DpopNonces> | undefined;
  const readNonces = () => {
    nonces ??= readNonceSecret(store).then(createDpopNonces);
    // An unreachable store may come back.
    nonces.catch(() => {
      nonces = undefined;
    });
    return nonces;
  };

  return {
    async requireProof(proof, request) {
      if (proof === undefined || proof.length > PROOF_MAX_CHARS) throw refuse("is missing or too long");
      const { payload, thumbprint } = await verify(proof, now());
      requireMatch(payload, request, now());
      const { isAccepted, next } = await readNonces();
      if (!isAccepted(payload.nonce, now())) {
        const dpop_nonce = next(now());
        throw refuse("does not have a current nonce", {
          next: "Send a new proof with the nonce of the header DPoP-Nonce (RFC 9449).",
          dpop_nonce,
        });
      }
      return { thumbprint, key: digestToken(`dpop ${thumbprint} ${payload.jti}`) };
    },
    async requireFirstUse({ key }, owner_id) {
      if (!(await store.claimOnce(owner_id, key, now() + 2 * WINDOW_MS))) throw refuse("was used before");
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

function refuse(problem: string, details: Record<string, string> = {}): ApiError {
  return new ApiError("invalid_token", {
    message: `The DPoP proof ${problem}.`,
    next: "Send a new proof with each request (RFC 9449).",
    ...details,
  });
}
