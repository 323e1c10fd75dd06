/**
 * The system's keychain, through an optional package with native code, which the published package does not include.
 */
import { createRequire } from "node:module";

const PACKAGE = "@napi-rs/keyring";
const SERVICE = "rungs";

/** Keeps short secrets by name, for the user who is signed in to the system. */
export interface Keychain {
  /** Undefined when there is none of this name; throws when the keychain cannot be opened. */
  read(name: string): string | undefined;
  write(name: string, secret: string): void;
}

/** What this program uses of the package. */
interface Keyring {
  readonly Entry: new (
    service: string,
    name: string,
    options: { readonly linux: { readonly store: "secret-service" } },
  ) => { getPassword(): string | null; setPassword(secret: string): void };
}

// The package would fall back to the kernel's keyring, which forgets everything at the next boot.
const OPTIONS = { linux: { store: "secret-service" } } as const;

/** The keychain; undefined where the package is not installed. */
export function findKeychain(): Keychain | undefined {
  const keyring = loadKeyring();
  if (!keyring) return undefined;
  const open = (name: string) => new keyring.Entry(SERVICE, name, OPTIONS);
  return {
    read: (name) => open(name).getPassword() ?? undefined,
    write: (name, secret) => open(name).setPassword(secret),
  };
}

function loadKeyring(): Keyring | undefined {
  try {
    return createRequire(import.meta.url)(PACKAGE);
  } catch {
    // Missing, or without a binary for this platform.
    return undefined;
  }
}
