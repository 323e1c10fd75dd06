/**
 * Challenges for passkeys to sign. Creating one stores nothing, so that nobody can fill the database from the sign-in
 * page: a challenge carries its expiry and a MAC over its purpose. A used one is remembered until it expires.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { digestToken } from "../access/tokens.ts";
import type { OwnerContext } from "./owner-context.ts";

/** What a challenge may be used for, and by which session. */
export interface ChallengePurpose {
  readonly purpose: "register" | "sign_in" | "confirm";
  /** Empty when any browser may use it. */
  readonly bound_to: string;
}

const CHALLENGE_MS = 10 * 60 * 1000;
const RANDOM_BYTES = 16;
const BODY_BYTES = RANDOM_BYTES + 8;

/** Creates a challenge; the browser gets its bytes. */
export async function createChallenge(
  owner: OwnerContext,
  purpose: ChallengePurpose,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = Buffer.alloc(BODY_BYTES);
  randomBytes(RANDOM_BYTES).copy(body);
  body.writeBigUInt64BE(BigInt(owner.now() + CHALLENGE_MS), RANDOM_BYTES);
  const sign = await openMac(owner, purpose);
  return new Uint8Array(Buffer.concat([body, sign(body)]));
}

/** A function that tells whether a challenge, in base64url, was made for this owner and purpose and has not expired. */
export async function openChallengeCheck(
  owner: OwnerContext,
  purpose: ChallengePurpose,
): Promise<(challenge: string) => boolean> {
  const sign = await openMac(owner, purpose);
  return (challenge) => {
    const bytes = Buffer.from(challenge, "base64url");
    const [body, mac] = [bytes.subarray(0, BODY_BYTES), bytes.subarray(BODY_BYTES)];
    const expected = sign(body);
    if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return false;
    return body.readBigUInt64BE(RANDOM_BYTES) > BigInt(owner.now());
  };
}

/** Uses a challenge up; false when it was used before, on any process. */
export function claimChallenge({ store, owner_id, now }: OwnerContext, challenge: string): Promise<boolean> {
  return store.claimOnce(owner_id, digestToken(`passkey ${challenge}`), now() + CHALLENGE_MS);
}

async function openMac({ store, owner_id }: OwnerContext, { purpose, bound_to }: ChallengePurpose) {
  const key = await store.getSecret("passkey-challenges", () => randomBytes(32).toString("base64url"));
  const about = JSON.stringify([owner_id, purpose, bound_to]);
  return (body: Buffer) => createHmac("sha256", key).update(body).update(about).digest();
}
