/**
 * Seals the secrets of sources with a given key, or one in the system's keychain, or else in a separate file, outside the database and
 * its backups (R78). A copy of the database alone opens no mailbox.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { platform } from "node:os";
import { resolve } from "node:path";
import { ApiError } from "@rungs/contract";
import type { Keychain } from "./keychain.ts";

/** Seals and opens secrets. */
export interface SecretKeeper {
  /** Seals a secret for one sync: the result cannot be opened for another. */
  seal(secret: string, sync_id: string): Promise<string>;
  open(sealed: string, sync_id: string): Promise<string>;
  /** Where the key is, in words for people. */
  describePlace(): string;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const OTHERS = 0o077;

/** The prefix of a sealed secret, which says which key opens it. */
const [BY_FILE, BY_KEYCHAIN, BY_GIVEN] = ["1.", "2.", "3."];

/** The locations of a keeper's keys. */
export interface KeyPlaces {
  readonly file: string;
  readonly keychain?: Keychain | undefined;
  /** A key that several servers share: the value of the setting. */
  readonly given?: string | undefined;
}

/**
 * Creates a keeper. It seals with the given key, else with one in the keychain where there is one that can be opened, else with one in
 * a file, for its owner alone; the latter two are created with the first secret.
 */
export function createSecretKeeper({ keychain, given, ...places }: KeyPlaces): SecretKeeper {
  const file = resolve(places.file);
  const choose = (): [mark: string, key: Buffer] => {
    if (given !== undefined) return [BY_GIVEN, parseKey(given, SETTING)];
    const kept = keychain && keepInKeychain(keychain, file);
    if (kept !== undefined) return [BY_KEYCHAIN, parseKey(kept, KEYCHAIN)];
    if (!existsSync(file)) createKeyFile(file);
    return [BY_FILE, readKeyFile(file)];
  };
  const find = (mark: string): [place: string, key: Buffer] => {
    if (mark === BY_KEYCHAIN) return [KEYCHAIN, readKeychain(keychain, file)];
    if (mark !== BY_GIVEN) return [file, readKeyFile(file)];
    if (given === undefined)
      throw refuse(`The password was sealed with the key in ${SETTING}, which is not set.`);
    return [SETTING, parseKey(given, SETTING)];
  };
  return {
    async seal(secret, sync_id) {
      const [mark, key] = choose();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(sync_id));
      const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return `${mark}${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
    },
    async open(sealed, sync_id) {
      const [place, key] = find(sealed.slice(0, BY_FILE.length));
      const bytes = Buffer.from(sealed.slice(BY_FILE.length), "base64url");
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
        throw refuse(`The key in ${place} is not the one that sealed the password.`);
      }
    },
    describePlace() {
      if (given !== undefined) return SETTING;
      const kept = keychain && tryRead(keychain, file);
      return kept === undefined || kept === CLOSED ? `the file ${file}` : KEYCHAIN;
    },
  };
}

const KEYCHAIN = "the system's keychain";
const SETTING = "RUNGS_SOURCES_KEY";

/** The keychain is there and cannot be opened now, such as on a server without a desktop. */
const CLOSED = Symbol("closed");

function tryRead(keychain: Keychain, name: string): string | typeof CLOSED | undefined {
  try {
    return keychain.read(name);
  } catch {
    return CLOSED;
  }
}

/** The key in the keychain, made now if there is none; undefined where the keychain cannot be opened. */
function keepInKeychain(keychain: Keychain, name: string): string | undefined {
  const kept = tryRead(keychain, name);
  if (kept === CLOSED) return undefined;
  if (kept !== undefined) return kept;
  try {
    keychain.write(name, createKey());
    // Another process may have written at the same time: both take what stayed.
    return keychain.read(name);
  } catch {
    return undefined;
  }
}

function readKeychain(keychain: Keychain | undefined, name: string): Buffer {
  const kept = keychain ? tryRead(keychain, name) : CLOSED;
  if (kept === CLOSED)
    throw refuse(`The password was sealed with a key in ${KEYCHAIN}, which cannot be opened here.`);
  if (kept === undefined) throw refuse(`The key that sealed the password is not in ${KEYCHAIN} any more.`);
  return parseKey(kept, KEYCHAIN);
}

function readKeyFile(file: string): Buffer {
  if (!existsSync(file)) throw refuse(`The key file ${file} is missing.`);
  const handle = openSync(file, "r");
  try {
    if (platform() !== "win32" && (fstatSync(handle).mode & OTHERS) !== 0)
      throw refuse(`Others on this machine can read ${file}: run chmod 600 on it.`);
    return parseKey(readFileSync(handle, "utf8"), file);
  } finally {
    closeSync(handle);
  }
}

function parseKey(text: string, place: string): Buffer {
  const key = Buffer.from(text.trim(), "base64url");
  if (key.length !== KEY_BYTES) throw refuse(`${place} does not hold a key.`);
  return key;
}

function createKey(): string {
  return randomBytes(KEY_BYTES).toString("base64url");
}

/** Two processes may create it at once: the second one reads what the first wrote. */
function createKeyFile(file: string): void {
  try {
    const handle = openSync(file, "wx", 0o600);
    writeSync(handle, `${createKey()}\n`);
    closeSync(handle);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
}

function refuse(message: string): ApiError {
  return new ApiError("source_refused", {
    message,
    next: "Restore the key, or give the password again with rungs sync password. Several servers of one database need the same RUNGS_SOURCES_KEY.",
  });
}
