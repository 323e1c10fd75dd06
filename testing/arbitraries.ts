/** Arbitraries (fast-check) and a sealer for property tests. */
import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { READ_NAMES } from "@rungs/contract";
import type { Continuation, RecordRef, Sealer } from "@rungs/evidence";
import fc from "fast-check";
import { anyChar } from "./any-char.ts";
import { PIECES } from "./texts.ts";

/** Any well-formed text, rich in astral, combining, joined, right-to-left and control characters. */
export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: anyChar, maxLength: 3 })), {
    maxLength: 120,
    size: "max",
  })
  .map((pieces) => pieces.join(""));

/** Any record key, with many that are hard to write in URLs and text. */
export const anyKey = fc.oneof(
  fc.string({ unit: anyChar, minLength: 1, maxLength: 40 }),
  fc
    .array(fc.constantFrom(...PIECES, "/", ":", ".", "..", "%2e", "pdpp://record/"), {
      minLength: 1,
      maxLength: 8,
    })
    .map((parts) => parts.join("")),
  fc.array(fc.string(), { minLength: 1, maxLength: 3 }).map((parts) => JSON.stringify(parts)),
);

const segment = fc.stringMatching(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,20}$/);

/** Any record reference. */
export const anyRef: fc.Arbitrary<RecordRef> = fc.record(
  { connection_id: segment, stream: segment, record_id: anyKey },
  { noNullPrototype: true },
);

/** Any continuation with any arguments. */
export const anyContinuation: fc.Arbitrary<Continuation> = fc.record(
  {
    operation: fc.constantFrom(...READ_NAMES),
    args: fc.dictionary(
      fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/),
      fc.oneof(
        anyText,
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        fc.nat(),
        fc.boolean(),
        fc.array(anyText, { maxLength: 3 }),
      ),
      { maxKeys: 6, noNullPrototype: true },
    ),
  },
  { noNullPrototype: true },
);

/** A sealer like the server's. */
export const sealer: Sealer = createTestSealer("a secret for tests");

/** Creates a sealer for the given secret. */
export function createTestSealer(secret: string): Sealer {
  const key = hmac(secret, "key");
  return {
    seal(text) {
      const nonce = hmac(secret, text).subarray(0, 12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = [cipher.update(text, "utf8"), cipher.final()];
      return Buffer.concat([nonce, ...body, cipher.getAuthTag()]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < 28 || bytes.toString("base64url") !== sealed) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      try {
        return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
    tag: (text) => hmac(secret, `tag:${text}`).toString("base64url").slice(0, 12),
  };
}

function hmac(secret: string, message: string): Buffer {
  return createHmac("sha256", secret).update(message).digest();
}
