import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import type { Sealer } from "@rungs/evidence";
import type { Store } from "@rungs/store";

const NONCE_BYTES = 12;
const AUTH_TAG_BYTES = 16;
const TAG_CHARS = 12;

/** Opens the sealer of a store: every server on the store can open what any of them sealed. */
export async function openSealer(store: Store): Promise<Sealer> {
  return createSealer(await store.getSecret("cursor", () => randomBytes(32).toString("base64url")));
}

/**
 * Creates a sealer that uses AES-256-GCM. The nonce is a MAC of the text under a separate key: it repeats only for the same
 * text, which then seals to the same result, so there is no need to track used nonces.
 */
export function createSealer(secret: string): Sealer {
  const encryptionKey = deriveKey(secret, "cursor encryption");
  const nonceKey = deriveKey(secret, "cursor nonce");
  const tagKey = deriveKey(secret, "cursor binding");

  return {
    seal(text) {
      const nonce = mac(nonceKey, text).subarray(0, NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce);
      const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString("base64url");
    },

    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < NONCE_BYTES + AUTH_TAG_BYTES || bytes.toString("base64url") !== sealed) {
        return undefined;
      }
      const options = { authTagLength: AUTH_TAG_BYTES };
      const decipher = createDecipheriv(
        "aes-256-gcm",
        encryptionKey,
        bytes.subarray(0, NONCE_BYTES),
        options,
      );
      decipher.setAuthTag(bytes.subarray(-AUTH_TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -AUTH_TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },

    tag: (text) => mac(tagKey, text).toString("base64url").slice(0, TAG_CHARS),
  };
}

/** Returns a key object: with raw key bytes, sealing takes five times as long. */
function deriveKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", secret, "rungs", purpose, 32)));
}

function mac(key: KeyObject, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
