import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { ApiError } from "@rungs/contract";
import type { State } from "@rungs/store";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

const KIND = "password";
const ID = "owner";
const MIN_CHARS = 12;
const MAX_CHARS = 1024;
const KEY_BYTES = 32;
/** OWASP's recommended scrypt parameters; one check takes 128 MiB and some tenths of a second. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 ** 2 } as const;

/** The stored form of a password, in base64; only this file writes it. */
interface StoredPassword {
  readonly salt: string;
  readonly key: string;
}

/** Whether the owner can sign in with a password. */
export async function hasPassword({ store, owner_id }: OwnerContext): Promise<boolean> {
  return (await store.getState(owner_id, KIND, ID)) !== undefined;
}

/** Sets the owner's password, stored only as a salted key; refuses one too short to resist guessing. */
export async function setPassword(owner: OwnerContext, password: string): Promise<void> {
  await owner.store.putState(owner.owner_id, await makePassword(password));
  await recordEvent(owner, "password_set");
}

/** The state that stores an owner's password. */
export async function makePassword(password: string): Promise<State> {
  requireLongPassword(password);
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt);
  const value: StoredPassword = { salt: salt.toString("base64"), key: key.toString("base64") };
  return { kind: KIND, id: ID, value };
}

/** Throws for a password too short to resist guessing. */
export function requireLongPassword(password: string): void {
  if (password.length >= MIN_CHARS && password.length <= MAX_CHARS) return;
  const message = `The password needs ${MIN_CHARS} characters or more, and at most ${MAX_CHARS}.`;
  throw new ApiError("invalid_request", { param: "password", message, next: "Choose another one." });
}

/** Removes the password: login links are then the only way to sign in. */
export async function removePassword(owner: OwnerContext): Promise<void> {
  const had = await owner.store.takeState(owner.owner_id, KIND, ID);
  if (had) await recordEvent(owner, "password_removed");
}

/** A dummy password: checked where none exists, so that both cases take the same time. */
const NONE: StoredPassword = {
  salt: Buffer.alloc(16).toString("base64"),
  key: Buffer.alloc(KEY_BYTES).toString("base64"),
};

/** Whether this is the owner's password; always false when none is set, and for the program, which stands for an owner that does not exist. */
export async function isPassword({ store, owner_id }: OwnerContext, password: string): Promise<boolean> {
  const stored = await store.getState(owner_id, KIND, ID);
  if (password.length > MAX_CHARS) return false;
  const { salt, key } = (stored?.value as StoredPassword | undefined) ?? NONE;
  const derived = await deriveKey(password, Buffer.from(salt, "base64"));
  return timingSafeEqual(derived, Buffer.from(key, "base64")) && stored !== undefined;
}

/** Normalizes first: another keyboard may type the same password in another Unicode form. */
function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  const options: ScryptOptions = COST;
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
