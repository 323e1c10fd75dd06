/**
 * The envelope of an encrypted database: a file beside it with the data key, sealed by a key that a keeper has (a passphrase,
 * the system's keychain, a file). Another keeper seals the same data key again, and the database is not rewritten.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { ApiError } from "@rungs/contract";
import { z } from "zod";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Binds sealed bytes to their purpose. */
const CONTEXT = Buffer.from("rungs database key 1");

const keeperSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("passphrase"),
    salt: z.base64url(),
    memory_kib: z.int().min(8).max(4_194_304),
    passes: z.int().min(1).max(1_000),
    lanes: z.int().min(1).max(64),
  }),
  z.strictObject({ kind: z.literal("keychain"), account: z.string().min(1) }),
  z.strictObject({ kind: z.literal("file"), path: z.string().min(1) }),
]);

const envelopeSchema = z.strictObject({
  version: z.literal(1),
  keeper: keeperSchema,
  /** The sealed data key; two of them while the database gets a new one. */
  keys: z.array(z.base64url()).min(1).max(2),
});

/** The keeper of the key that opens the envelope. */
export type Keeper = z.infer<typeof keeperSchema>;
export type Envelope = z.infer<typeof envelopeSchema>;

/** Where the envelope of a database file is. */
export function envelopePath(file: string): string {
  return `${file}-key`;
}

/** The envelope of a database file; undefined when there is none. */
export function readEnvelope(file: string): Envelope | undefined {
  const path = envelopePath(file);
  if (!existsSync(path)) return undefined;
  const envelope = parseEnvelope(readFileSync(path, "utf8"));
  if (envelope !== undefined) return envelope;
  throw new ApiError("key_missing", {
    message: `${path}, which opens the encrypted database, is damaged.`,
    next: "Put it back from a backup: each backup of the database has a copy beside it.",
  });
}

/** Parses an envelope from its text, the form in files and in PostgreSQL. */
export function parseEnvelope(text: string): Envelope | undefined {
  return envelopeSchema.safeParse(parseJson(text)).data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes the envelope so that a crash leaves the former one or the new one. */
export function writeEnvelope(file: string, envelope: Envelope): void {
  const path = envelopePath(file);
  const part = `${path}.part`;
  const handle = openSync(part, "w", 0o600);
  try {
    writeSync(handle, `${JSON.stringify(envelope)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(part, path);
}

/** Puts the envelope of a database beside a copy of it, if there is one. */
export function copyEnvelope(from: string, to: string): void {
  const envelope = readEnvelope(from);
  if (envelope !== undefined) writeEnvelope(to, envelope);
}

export function removeEnvelope(file: string): void {
  rmSync(envelopePath(file), { force: true });
}

/** Seals a data key. */
export function sealKey(key: Uint8Array, with_key: Uint8Array): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, with_key, iv).setAAD(CONTEXT);
  const sealed = [cipher.update(key), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url");
}

/** Opens a sealed data key; undefined if another key sealed it. */
export function unsealKey(sealed: string, with_key: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  try {
    const decipher = createDecipheriv(CIPHER, with_key, iv).setAAD(CONTEXT).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
