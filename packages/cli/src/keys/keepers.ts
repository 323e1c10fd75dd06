/** The keepers of the key that opens an envelope: how to create each, and how to get its key. */
import * as crypto from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { ApiError } from "@rungs/contract";
import type { Keychain } from "@rungs/sources";
import { promptSecret } from "../sync/read-secret.ts";
import type { Keeper } from "./envelope.ts";

/** The environment of the command. */
export type KeyEnvironment = Readonly<Record<string, string | undefined>>;

const KEY_BYTES = 32;
const SALT_BYTES = 16;
const PASSPHRASE_MIN_CHARS = 12;
/** RFC 9106 §4, the second recommended option: for machines with little memory. */
const ARGON2 = { memory_kib: 65_536, passes: 3, lanes: 4 };

const PUT_BACK = "Put the key back that encrypted it; without it nobody can read the data.";

/** What the owner chose. */
export type KeeperChoice =
  | { readonly kind: "passphrase" }
  | { readonly kind: "keychain" }
  | { readonly kind: "file"; readonly path: string };

/** A keeper, and the key that it keeps. */
export interface OpenedKeeper {
  readonly keeper: Keeper;
  readonly key: Uint8Array;
}

/** Creates a keeper: asks for a new passphrase, or makes a key and gives it to the keychain or a new file. */
export async function createKeeper(choice: KeeperChoice, env: KeyEnvironment): Promise<OpenedKeeper> {
  if (choice.kind === "passphrase") {
    const keeper: Keeper = { kind: "passphrase", salt: makeText(SALT_BYTES), ...ARGON2 };
    return { keeper, key: await derive(keeper, await readNewPassphrase(env)) };
  }
  if (choice.kind === "keychain") {
    const [account, secret] = [`database-${makeText(9)}`, makeText(KEY_BYTES)];
    await useKeychain((keychain) => keychain.write(account, secret));
    const keeper: Keeper = { kind: "keychain", account };
    return { keeper, key: await openKeeper(keeper, env) };
  }
  const path = resolve(choice.path);
  if (!existsSync(path)) writeFileSync(path, `${makeText(KEY_BYTES)}\n`, { mode: 0o600, flag: "wx" });
  const keeper: Keeper = { kind: "file", path };
  const next = "Name a file that does not exist yet: rungs encrypt writes a new key into it.";
  return { keeper, key: parseKey(readFileSync(path, "utf8"), path, next) };
}

/** The environment may hold the current passphrase; the new one then comes from RUNGS_NEW_PASSPHRASE or a prompt. */
export function newPassphraseIn(env: KeyEnvironment): KeyEnvironment {
  return { ...env, RUNGS_PASSPHRASE_FILE: undefined, RUNGS_PASSPHRASE: env.RUNGS_NEW_PASSPHRASE };
}

/** Asks a keeper for its key. */
export async function openKeeper(keeper: Keeper, env: KeyEnvironment): Promise<Uint8Array> {
  if (keeper.kind === "passphrase") return derive(keeper, await readPassphrase(env));
  if (keeper.kind === "keychain") {
    const secret = await useKeychain((keychain) => keychain.read(keeper.account));
    if (secret !== undefined) return parseKey(secret, "The keychain's entry", PUT_BACK);
    throw new ApiError("key_missing", {
      message: `The system's keychain has no entry "rungs" for ${keeper.account}, which opens the encrypted database.`,
      next: "Sign in as the person who encrypted it, on the same machine; without that entry nobody can read the data.",
    });
  }
  const path = env.RUNGS_KEY_FILE ?? keeper.path;
  if (existsSync(path)) return parseKey(readFileSync(path, "utf8"), path, PUT_BACK);
  throw new ApiError("key_missing", {
    message: `The database is encrypted, and its key file ${path} does not exist.`,
    next: "Put it back, or name its place with RUNGS_KEY_FILE; without it nobody can read the data.",
  });
}

async function useKeychain<T>(work: (keychain: Keychain) => T): Promise<T> {
  const { findKeychain } = await import("@rungs/sources");
  const keychain = findKeychain();
  if (keychain === undefined)
    throw new ApiError("package_missing", {
      message: "The system's keychain is used through the package @napi-rs/keyring, which is not installed.",
      next: "Run npm install -g @napi-rs/keyring (without -g where rungs is installed in a folder), and the same command again.",
    });
  try {
    return work(keychain);
  } catch (error) {
    throw new ApiError("key_missing", {
      message: `The system's keychain does not answer (${error instanceof Error ? error.message : String(error)}).`,
      next: "Unlock it, and run the same command again; on a machine without one, keep the key with a passphrase or in a file.",
    });
  }
}

function makeText(bytes: number): string {
  return crypto.randomBytes(bytes).toString("base64url");
}

function parseKey(text: string, place: string, next: string): Uint8Array {
  const key = Buffer.from(text.trim(), "base64url");
  if (key.length === KEY_BYTES && key.toString("base64url") === text.trim()) return key;
  throw new ApiError("key_refused", {
    message: `${place} does not contain a key: 32 bytes in Base64 with the alphabet for URLs.`,
    next,
  });
}

/** NFKC: two keyboards may type the same passphrase in different Unicode forms. */
async function derive(
  keeper: Extract<Keeper, { kind: "passphrase" }>,
  passphrase: string,
): Promise<Uint8Array> {
  // Node 22 has no Argon2.
  if (typeof crypto.argon2 !== "function")
    throw new ApiError("key_refused", {
      message: `A passphrase needs Argon2id, which this Node ${process.versions.node} does not have.`,
      next: "Use Node 24.7 or newer, or keep the key with --keychain or --key-file.",
    });
  return promisify(crypto.argon2)("argon2id", {
    message: passphrase.normalize("NFKC"),
    nonce: Buffer.from(keeper.salt, "base64url"),
    memory: keeper.memory_kib,
    passes: keeper.passes,
    parallelism: keeper.lanes,
    tagLength: KEY_BYTES,
  });
}

async function readPassphrase(env: KeyEnvironment): Promise<string> {
  const given = findPassphrase(env) ?? (await askForPassphrase());
  if (given !== undefined) return given;
  throw new ApiError("key_missing", {
    message: "There is no terminal to ask for the passphrase of the database.",
    next: "Set RUNGS_PASSPHRASE_FILE to a file that only you can read, or RUNGS_PASSPHRASE; for unattended programs, keep the key with rungs encrypt --keychain.",
  });
}

async function askForPassphrase(): Promise<string | undefined> {
  return process.stdin.isTTY && process.stderr.isTTY ? promptSecret("Passphrase of the database") : undefined;
}

async function readNewPassphrase(env: KeyEnvironment): Promise<string> {
  const passphrase = findPassphrase(env) ?? (await askForPassphrase());
  if (passphrase === undefined)
    throw new ApiError("key_missing", {
      message: "There is no terminal to ask for the new passphrase.",
      next: "Set RUNGS_PASSPHRASE_FILE or RUNGS_PASSPHRASE (RUNGS_NEW_PASSPHRASE if there is a passphrase already), or choose --keychain or --key-file FILE.",
    });
  if ([...passphrase].length < PASSPHRASE_MIN_CHARS)
    throw new ApiError("key_refused", {
      message: `The passphrase has fewer than ${PASSPHRASE_MIN_CHARS} characters.`,
      next: "Choose a longer one, such as five random words.",
    });
  if (findPassphrase(env) === undefined && (await promptSecret("The same again")) !== passphrase)
    throw new ApiError("key_refused", {
      message: "The two passphrases differ.",
      next: "Run the same command again.",
    });
  return passphrase;
}

function findPassphrase({
  RUNGS_PASSPHRASE,
  RUNGS_PASSPHRASE_FILE: file,
}: KeyEnvironment): string | undefined {
  if (file === undefined) return RUNGS_PASSPHRASE;
  if (existsSync(file)) return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  throw new ApiError("key_missing", {
    message: `There is no file ${file} with the passphrase of the database.`,
    next: "Correct RUNGS_PASSPHRASE_FILE.",
  });
}
