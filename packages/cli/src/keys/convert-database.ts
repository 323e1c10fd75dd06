/**
 * Encrypts and decrypts a database, safe to kill at any point: until the last step, the former file and envelope stay
 * in place.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { ApiError } from "@rungs/contract";
import type { TableDigest } from "@rungs/store";
import { inUse } from "../home/backup-file.ts";
import { openPlace } from "../home/database.ts";
import { removeEnvelope, sealKey, writeEnvelope } from "./envelope.ts";
import type { OpenedKeeper } from "./keepers.ts";
import { removeUnfinished, unfinishedPath } from "./unfinished.ts";

const KEY_BYTES = 32;

/** Rewrites a plain or encrypted database under a new key of the keeper. */
export function encryptDatabase(
  file: string,
  from: Uint8Array | undefined,
  { keeper, key: with_key }: OpenedKeeper,
): Promise<TableDigest[]> {
  const to = randomBytes(KEY_BYTES);
  const seal = (key: Uint8Array) => sealKey(key, with_key);
  return convert(file, from, to, (put) => {
    // The envelope comes first, with both keys: whichever file is there opens.
    writeEnvelope(file, { version: 1, keeper, keys: [...(from ? [seal(from)] : []), seal(to)] });
    put();
    writeEnvelope(file, { version: 1, keeper, keys: [seal(to)] });
  });
}

/** Prepares a database that does not exist yet to be created encrypted. */
export function createKeyEnvelope(file: string, { keeper, key }: OpenedKeeper): TableDigest[] {
  writeEnvelope(file, { version: 1, keeper, keys: [sealKey(randomBytes(KEY_BYTES), key)] });
  return [];
}

/** Rewrites an encrypted database as a plain one. */
export function decryptDatabase(file: string, from: Uint8Array): Promise<TableDigest[]> {
  return convert(file, from, undefined, (put) => {
    put();
    removeEnvelope(file);
  });
}

async function convert(
  file: string,
  from: Uint8Array | undefined,
  to: Uint8Array | undefined,
  replace: (put: () => void) => void,
): Promise<TableDigest[]> {
  // Migrates an older schema, and flushes the audit journal into the database.
  await (await openPlace({ kind: "sqlite", file, key: from, env: {} })).close();
  removeUnfinished(file);
  const part = unfinishedPath(file);
  closeSync(openSync(part, "wx", 0o600));
  const put = () => {
    flush(part);
    renameSync(part, file);
  };
  const { convertSqlite } = await import("@rungs/store/sqlite");
  try {
    return await convertSqlite({ file, part, from, to, replace: () => replace(put) });
  } catch (error) {
    throw error instanceof ApiError && error.code === "database_busy" ? inUse(file) : error;
  }
}

function flush(file: string): void {
  const handle = openSync(file, "r+");
  fsyncSync(handle);
  closeSync(handle);
}
