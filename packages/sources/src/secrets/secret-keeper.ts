/**
 * Seals the secrets of sources with a key in a separate file, outside the database and its backups (R78). A copy of the
 * database without this file opens no mailbox.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { platform } from "node:os";
import { ApiError } from "@rungs/contract";

/** Seals and opens secrets. */
export interface SecretKeeper {
  /** Seals a secret for one sync: the result cannot be opened for another. */
  seal(secret: string, sync_id: string): Promise<string>;
  open(sealed: string, sync_id: string): Promise<string>;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const OTHERS = 0o077;

/** Creates a keeper whose key is in a file; the file is created, for its owner alone, with the first secret. */
export function createSecretKeeper(key_file: string): SecretKeeper {
  return {
    async seal(secret, sync_id) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", loadKey(key_file, true), iv).setAAD(Buffer.from(sync_id));
      const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return `1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
    },
    async open(sealed, sync_id) {
      const key = loadKey(key_file, false);
      const bytes = Buffer.from(sealed.slice(2), "base64url");
      const [iv, tag, body] = [
        bytes.subarray(0, IV_BYTES),
        bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES),
        bytes.subarray(IV_BYTES + TAG_BYTES),
      ];
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, iv)
          .setAAD(Buffer.from(sync_id))
          .setAuthTag(tag);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
      } catch {
        throw refuse(`The key in ${key_file} is not the one that sealed the password.`);
      }
    },
  };
}

function loadKey(file: string, create: boolean): Buffer {
  if (create && !existsSync(file)) createKey(file);
  if (!existsSync(file)) throw refuse(`The key file ${file} is missing.`);
  const handle = openSync(file, "r");
  try {
    if (platform() !== "win32" && (fstatSync(handle).mode & OTHERS) !== 0)
      throw refuse(`Others on this machine can read ${file}: run chmod 600 on it.`);
    const key = Buffer.from(readFileSync(handle, "utf8").trim(), "base64url");
    if (key.length !== KEY_BYTES) throw refuse(`${file} does not hold a key.`);
    return key;
  } finally {
    closeSync(handle);
  }
}

/** Two processes may create it at once: the second one reads what the first wrote. */
function createKey(file: string): void {
  try {
    const handle = openSync(file, "wx", 0o600);
    writeSync(handle, `${randomBytes(KEY_BYTES).toString("base64url")}\n`);
    closeSync(handle);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
}

function refuse(message: string): ApiError {
  return new ApiError("source_refused", {
    message,
    next: "Restore the key file, or give the password again with rungs sync password.",
  });
}
