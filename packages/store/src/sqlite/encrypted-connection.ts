/**
 * Connections to an encrypted file, through better-sqlite3-multiple-ciphers (SQLite3 Multiple Ciphers). Every page of the file and of
 * its write-ahead log is sealed with AEGIS-256; temporary data stays in memory, because the library does not encrypt temporary files.
 */
import { ApiError } from "@rungs/contract";
import type { ConnectionOptions, SqliteConnection, SqliteStatement, SqliteValue } from "./connection.ts";
import { isPlainFile } from "./file-head.ts";
import { type CipherConnection, type CipherStatement, keyLiteral, loadCipher } from "./load-cipher.ts";

const KEY_BYTES = 32;
const NOT_A_DATABASE = 26;

/** Primary result codes by name (https://sqlite.org/rescode.html); extended names begin with these. */
const RESULT_CODES: readonly (readonly [string, number])[] = [
  ["SQLITE_BUSY", 5],
  ["SQLITE_LOCKED", 6],
  ["SQLITE_READONLY", 8],
  ["SQLITE_IOERR", 10],
  ["SQLITE_CORRUPT", 11],
  ["SQLITE_FULL", 13],
  ["SQLITE_CANTOPEN", 14],
  ["SQLITE_CONSTRAINT", 19],
  ["SQLITE_NOTADB", 26],
  ["SQLITE_ERROR", 1],
];

type EncryptedOptions = ConnectionOptions & { readonly key: Uint8Array };

/** Opens an encrypted file, or creates one; an error when the key is not that of the file. */
export function openEncrypted(
  file: string,
  { key, timeout, readOnly = false }: EncryptedOptions,
): SqliteConnection {
  if (key.length !== KEY_BYTES) throw new TypeError(`The key has ${key.length} bytes, not ${KEY_BYTES}.`);
  return openWithCipher(file, { key, timeout, readOnly });
}

/** Opens a file with the driver that knows both kinds: without a key, a plain one. */
export function openWithCipher(
  file: string,
  { key, timeout, readOnly = false }: ConnectionOptions,
): SqliteConnection {
  const Database = loadCipher();
  const database = withResultCode(() => new Database(file, { timeout, readonly: readOnly }));
  try {
    withResultCode(() =>
      key === undefined ? database.exec(`${CHOOSE_CIPHER} ${READ_HEAD}`) : unlock(database, key),
    );
  } catch (error) {
    database.close();
    if (!isNotDatabase(error)) throw error;
    // Read the header only now: it closes the file, which drops the locks of this process's connections to it.
    if (key === undefined) throw new ApiError("key_missing");
    throw new ApiError(isPlainFile(file) ? "database_not_encrypted" : "key_wrong");
  }
  return new EncryptedConnection(database);
}

const CHOOSE_CIPHER = "PRAGMA cipher = 'aegis'; PRAGMA temp_store = MEMORY;";
/** Reads the first page. */
const READ_HEAD = "PRAGMA schema_version";

/**
 * The initial statements of every connection to an encrypted file. Freed bytes are overwritten if that costs no further
 * write.
 */
export function unlockStatements(key: Uint8Array): string {
  return `
    ${CHOOSE_CIPHER}
    PRAGMA key = ${keyLiteral(key)};
    PRAGMA secure_delete = FAST;`;
}

function unlock(database: CipherConnection, key: Uint8Array): void {
  database.exec(unlockStatements(key));
  const is_new = database.pragma("page_count", { simple: true }) === 0;
  // Only a new file takes these: freed pages can leave it later without VACUUM, which needs a temporary file.
  if (is_new) database.exec("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;");
}

export class EncryptedConnection implements SqliteConnection {
  readonly #database: CipherConnection;

  constructor(database: CipherConnection) {
    this.#database = database;
  }

  get isTransaction(): boolean {
    return this.#database.inTransaction;
  }

  exec(statements: string): void {
    withResultCode(() => this.#database.exec(statements));
  }

  prepare(statement: string): SqliteStatement {
    return withResultCode(() => new EncryptedStatement(this.#database, statement));
  }

  close(): void {
    this.#database.close();
  }
}

/** The library takes numbered parameters as an object, refuses to run a statement that returns rows and the reverse, and returns Buffers. */
class EncryptedStatement implements SqliteStatement {
  readonly #statement: CipherStatement;
  readonly #isNumbered: boolean;

  constructor(database: CipherConnection, statement: string) {
    // Parameters in order are bound by position, which is faster.
    const numbers = [...statement.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number));
    this.#isNumbered = numbers.some((number, at) => number !== at + 1);
    this.#statement = database.prepare(this.#isNumbered ? statement : statement.replace(/\?\d+/g, "?"));
  }

  all(...values: SqliteValue[]): unknown[] {
    if (!this.#statement.reader) {
      this.run(...values);
      return [];
    }
    const rows = withResultCode(() => this.#statement.all(...this.#bind(values)));
    for (const row of rows) unwrapBuffers(row);
    return rows;
  }

  get(...values: SqliteValue[]): unknown {
    const row = withResultCode(() => this.#statement.get(...this.#bind(values)));
    if (row !== undefined) unwrapBuffers(row);
    return row;
  }

  run(...values: SqliteValue[]): { readonly changes: number } {
    return withResultCode(() => this.#statement.run(...this.#bind(values)));
  }

  #bind(values: readonly SqliteValue[]): readonly unknown[] {
    if (!this.#isNumbered) return values;
    return [Object.fromEntries(values.map((value, at) => [at + 1, value]))];
  }
}

/** `slice` copies an array and not a Buffer. */
function unwrapBuffers(row: Record<string, unknown>): void {
  for (const column in row) {
    const value = row[column];
    if (value instanceof Uint8Array)
      row[column] = new Uint8Array(value.buffer, value.byteOffset, value.length);
  }
}

/** Adds the result code to an error of the library, as Node's SQLite has it. */
function withResultCode<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    const [, errcode] = RESULT_CODES.find(([name]) => String(code).startsWith(name)) ?? [];
    throw errcode === undefined
      ? error
      : Object.assign(error as Error, { errcode, code: "ERR_SQLITE_ERROR" });
  }
}

function isNotDatabase(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === NOT_A_DATABASE;
}
