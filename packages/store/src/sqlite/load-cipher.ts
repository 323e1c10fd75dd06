/** Loads the optional package that encrypts SQLite files: 34 MB with native code, which few people need. */
import { createRequire } from "node:module";
import { ApiError } from "@rungs/contract";

const PACKAGE = "better-sqlite3-multiple-ciphers";
/** The version that the tests run with. */
const VERSION = "13.0.3";

/** The subset of the package's statements that we use. */
export interface CipherStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  all(...values: readonly unknown[]): Record<string, unknown>[];
  get(...values: readonly unknown[]): Record<string, unknown> | undefined;
  run(...values: readonly unknown[]): { readonly changes: number };
}

/** The subset of the package's connections that we use. */
export interface CipherConnection {
  readonly inTransaction: boolean;
  exec(statements: string): void;
  pragma(source: string, options?: { readonly simple: boolean }): unknown;
  prepare(statement: string): CipherStatement;
  close(): void;
}

type OpenCipher = new (
  file: string,
  options: { readonly timeout: number; readonly readonly: boolean },
) => CipherConnection;

const require = createRequire(import.meta.url);

/** The package; an error with the command that installs it when it is missing. */
export function loadCipher(): OpenCipher {
  try {
    return require(PACKAGE);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw error;
    throw new ApiError("package_missing", {
      message: `The database is encrypted, or is to be, and the package ${PACKAGE} is not installed.`,
      next: `Run npm install -g ${PACKAGE}@${VERSION} (without -g where rungs is installed in a folder), and the same command again.`,
    });
  }
}

/** A key as statements of the package have it: the bytes themselves, not a password; none for a plain file. */
export function keyLiteral(key: Uint8Array | undefined): string {
  return key === undefined ? "''" : `'raw:${Buffer.from(key).toString("hex")}'`;
}

/** The path of the package's entry, for a thread that loads it itself. */
export function findCipher(): string {
  return require.resolve(PACKAGE);
}
