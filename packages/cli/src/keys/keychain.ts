/** The system's keychain: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux, by the optional package @napi-rs/keyring. */
import { createRequire } from "node:module";
import { ApiError } from "@rungs/contract";

const PACKAGE = "@napi-rs/keyring";
const SERVICE = "rungs";

interface KeychainEntry {
  getPassword(): string | null;
  setPassword(secret: string): void;
  deletePassword(): unknown;
}

/** What the keychain has under a name; undefined when it has nothing. */
export function readKeychain(account: string): string | undefined {
  return use(account, (entry) => entry.getPassword() ?? undefined);
}

export function writeKeychain(account: string, secret: string): void {
  use(account, (entry) => entry.setPassword(secret));
}

export function forgetKeychain(account: string): void {
  use(account, (entry) => entry.deletePassword());
}

function use<T>(account: string, work: (entry: KeychainEntry) => T): T {
  const Entry = loadEntry();
  try {
    // The kernel's keyring, which the package falls back to, forgets everything when the machine stops.
    return work(new Entry(SERVICE, account, { linux: { store: "secret-service" } }));
  } catch (error) {
    throw new ApiError("key_missing", {
      message: `The system's keychain does not answer (${error instanceof Error ? error.message : String(error)}).`,
      next: "Unlock it, and run the same command again; where there is none, keep keys in another place.",
    });
  }
}

type OpenEntry = new (
  service: string,
  account: string,
  options: { readonly linux: { readonly store: string } },
) => KeychainEntry;

function loadEntry(): OpenEntry {
  try {
    return createRequire(import.meta.url)(PACKAGE).Entry;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw error;
    throw new ApiError("package_missing", {
      message: `The system's keychain is used through the package ${PACKAGE}, which is not installed.`,
      next: `Run npm install -g ${PACKAGE} (without -g where rungs is installed in a folder), and the same command again.`,
    });
  }
}
