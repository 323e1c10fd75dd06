/**
 * Nonces for DPoP proofs (RFC 9449 §8 and §9), so that no proof can be made in advance. They are oidc-provider's
 * nonces: the authorization server has the same origin, and clients keep one nonce per origin.
 */
import { hkdfSync, randomBytes } from "node:crypto";
import type { Store } from "@rungs/store";

const STEP_MS = 60_000;
/** How many steps before and after the current one are accepted. */
const STEPS = 2;

/** The nonces of a server, shared by all processes on its store. */
export interface DpopNonces {
  /** The nonce to send to clients. */
  next(now_ms: number): string;
  isAccepted(nonce: unknown, now_ms: number): boolean;
}

/** Reads the secret of the nonces, or creates it the first time. */
export async function readNonceSecret(store: Store): Promise<Buffer> {
  const text = await store.getSecret("dpop-nonces", () => randomBytes(32).toString("base64url"));
  return Buffer.from(text, "base64url");
}

/** Creates the nonces of a secret. */
export function createDpopNonces(secret: Buffer): DpopNonces {
  const at = (now_ms: number, step: number): string => {
    const salt = Buffer.alloc(8);
    salt.writeBigUInt64BE(BigInt(Math.floor(now_ms / STEP_MS) + step));
    return Buffer.from(hkdfSync("sha256", secret, salt, "DPoP", 32)).toString("base64url");
  };
  return {
    next: (now_ms) => at(now_ms, 1),
    isAccepted(nonce, now_ms) {
      const steps = Array.from({ length: 2 * STEPS + 1 }, (_, index) => index - STEPS);
      return steps.some((step) => at(now_ms, step) === nonce);
    },
  };
}
