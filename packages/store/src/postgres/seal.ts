/**
 * Seals the long rows of PostgreSQL with a key that the database does not have. A body is sealed for its place: the table and the key of its row
 * are authenticated with it, so that it opens nowhere else. An owner's bodies have a key of their own, derived from the data key.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { ApiError } from "@rungs/contract";
import type { BodyTable, RowKey } from "../database.ts";
import type { SealState } from "../store.ts";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = ID_BYTES + NONCE_BYTES + TAG_BYTES;
/** No deflated chunk begins with these bits (RFC 1951 §3.2.3: block type 11), so that a program without the key does not take one for text. */
const NOT_DEFLATED = 0x06;

/** Makes PostgreSQL refuse rows from programs without the current key. */
export const SEAL_CONSTRAINT = "rungs_sealed";

/** The data keys of a sealed database, as plain data. The last one seals; others open rows that are not converted yet. */
export interface SealKeys {
  readonly state: SealState;
  readonly keys: readonly Uint8Array[];
}

interface DataKey {
  readonly id: Buffer;
  readonly key: Uint8Array;
  readonly of_owners: Map<number, Buffer>;
}

export class Seal {
  readonly #state: SealState;
  readonly #keys: readonly DataKey[];

  constructor({ state, keys }: SealKeys) {
    this.#state = state;
    this.#keys = keys.map((key) => ({ id: nameKey(key), key, of_owners: new Map() }));
  }

  /** The first bytes of each body that the last key sealed. */
  get id(): Buffer {
    return this.#last.id;
  }

  /** The same for each of its keys. */
  get ids(): Buffer[] {
    return this.#keys.map(({ id }) => id);
  }

  /** A body as it is stored in a row. */
  close(table: BodyTable, key: RowKey, body: Uint8Array): Uint8Array {
    return this.#state === "opening" ? body : this.seal(table, key, body);
  }

  seal(table: BodyTable, key: RowKey, body: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, keyOf(this.#last, key), nonce).setAAD(namePlace(table, key));
    const sealed = cipher.update(body);
    cipher.final();
    return Buffer.concat([this.id, nonce, cipher.getAuthTag(), sealed]);
  }

  /** Opens a body. Refuses a plain one once all are sealed, and one from another place always. */
  open(table: BodyTable, key: RowKey, stored: Uint8Array): Uint8Array {
    const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
    const found = this.#keys.find(({ id }) => bytes.subarray(0, ID_BYTES).equals(id));
    if (!found) {
      if (this.#state === "sealed") throw new ApiError("sealed_data_refused");
      return stored;
    }
    try {
      const nonce = bytes.subarray(ID_BYTES, ID_BYTES + NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, keyOf(found, key), nonce, { authTagLength: TAG_BYTES })
        .setAAD(namePlace(table, key))
        .setAuthTag(bytes.subarray(ID_BYTES + NONCE_BYTES, HEAD_BYTES));
      const body = decipher.update(bytes.subarray(HEAD_BYTES));
      decipher.final();
      return body;
    } catch {
      throw new ApiError("sealed_data_refused");
    }
  }

  /** The size of a body without what sealing adds to it, in SQL. */
  bodyBytes(column: string): string {
    const ids = this.ids.map(bytea).join(", ");
    return `length(${column}) - CASE WHEN ${headOf(column)} IN (${ids}) THEN ${HEAD_BYTES} ELSE 0 END`;
  }

  get #last(): DataKey {
    return this.#keys.at(-1) as DataKey;
  }
}

/** The prefix that identifies a sealed body, in SQL. */
export const headOf = (column: string): string => `substring(${column} FROM 1 FOR ${ID_BYTES})`;
/** Bytes as an SQL literal. */
export const bytea = (bytes: Buffer): string => `'\\x${bytes.toString("hex")}'::bytea`;

function nameKey(key: Uint8Array): Buffer {
  const id = derive(key, "id", ID_BYTES);
  id[0] = (id[0] as number) | NOT_DEFLATED;
  return id;
}

function keyOf({ key, of_owners }: DataKey, [owner]: RowKey): Buffer {
  const known = of_owners.get(owner);
  if (known) return known;
  const derived = derive(key, `owner ${owner}`, KEY_BYTES);
  of_owners.set(owner, derived);
  return derived;
}

function derive(key: Uint8Array, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", `rungs seal 1 ${purpose}`, bytes));
}

function namePlace(table: BodyTable, key: RowKey): Buffer {
  const cells = key.map((cell) =>
    typeof cell === "number" ? cell : Buffer.from(cell.buffer, cell.byteOffset, cell.length).toString("hex"),
  );
  return Buffer.from(JSON.stringify([table, ...cells]));
}
