/** One adapter, two drivers: Node's own SQLite, and an optional package that encrypts every page of the file. */
import { DatabaseSync } from "node:sqlite";
import { openEncrypted } from "./encrypted-connection.ts";

/** A value of a statement. */
export type SqliteValue = string | number | null | Uint8Array;

/** The subset of a prepared statement that the store uses. */
export interface SqliteStatement {
  all(...values: SqliteValue[]): unknown[];
  get(...values: SqliteValue[]): unknown;
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
}

/** The subset of a connection that the store uses. Errors have SQLite's result code in `errcode`. */
export interface SqliteConnection {
  readonly isTransaction: boolean;
  exec(statements: string): void;
  prepare(statement: string): SqliteStatement;
  close(): void;
}

/** How to open a file. */
export interface ConnectionOptions {
  /** How long a statement waits for another process, in milliseconds. */
  readonly timeout: number;
  readonly readOnly?: boolean;
  /** The 32 bytes that encrypt the file; without them it is plain. */
  readonly key?: Uint8Array | undefined;
}

/** Opens a file with the driver that it needs. */
export function connect(file: string, { key, ...options }: ConnectionOptions): SqliteConnection {
  return key === undefined ? new DatabaseSync(file, options) : openEncrypted(file, { ...options, key });
}
