/** The connector that the owner installed: its manifest, and whether it can run here. */
import { accessSync, constants, readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  ApiError,
  type ConnectorManifest,
  type ConnectorStream,
  requireConnectorManifest,
} from "@rungs/contract";
import type { ConnectorSettings } from "./settings.ts";

/** What Rungs provides to connectors (Collection Profile §1, Standard bindings); no browser. */
const BINDINGS: ReadonlySet<string> = new Set(["network", "filesystem", "interactive", "loopback_listen"]);
const MANIFEST_BYTES = 4 * 1024 ** 2;

/** Reads the manifest of a connector; throws `source_broken` or `invalid_manifest`. */
export function readConnectorManifest({ manifest }: Pick<ConnectorSettings, "manifest">): ConnectorManifest {
  let value: unknown;
  try {
    const text = readFileSync(manifest, "utf8");
    if (text.length > MANIFEST_BYTES) throw new Error("too large");
    value = JSON.parse(text);
  } catch {
    throw new ApiError("source_broken", {
      message: `${manifest} cannot be read, or is not JSON.`,
      next: "Name the file of the connector's manifest.",
    });
  }
  return requireConnectorManifest(value);
}

/** Throws `source_broken` when a connector needs what Rungs does not provide, or a file of its command is missing. */
export function requireRunnable(
  { runtime_requirements }: ConnectorManifest,
  { command }: ConnectorSettings,
): void {
  const missing = Object.entries(runtime_requirements?.bindings ?? {}).find(
    ([name, { required }]) => required !== false && !BINDINGS.has(name),
  );
  if (missing)
    throw new ApiError("source_broken", {
      message: `The connector needs ${missing[0]}, which Rungs does not give to connectors.`,
      next: "Use a connector without it, or import an export.",
    });
  for (const file of command.filter((each) => isAbsolute(each))) {
    try {
      accessSync(file, constants.R_OK);
    } catch {
      throw new ApiError("source_broken", {
        message: `${file} cannot be read.`,
        next: "Install the connector, or name its program again.",
      });
    }
  }
}

/** The bindings that a run gives: those that the manifest names. */
export function listBindings({ runtime_requirements }: ConnectorManifest): Record<string, object> {
  const names = Object.keys(runtime_requirements?.bindings ?? {}).filter((name) => BINDINGS.has(name));
  return Object.fromEntries([...names, "interactive"].map((name) => [name, {}]));
}

/** The streams that a run reads. Throws `invalid_request` when there are none. */
export function chooseStreams(
  { streams }: ConnectorManifest,
  { folders, without_folders = [] }: Pick<ConnectorSettings, "folders" | "without_folders">,
): ConnectorStream[] {
  const chosen = streams.filter(
    ({ name }) => (folders?.includes(name) ?? true) && !without_folders.includes(name),
  );
  if (chosen.length > 0) return chosen;
  throw new ApiError("invalid_request", {
    param: "folder",
    message: "The connector has none of the named streams.",
    next: `Choose from ${streams.map(({ name }) => name).join(", ")}.`,
  });
}

/** The variables that a connector reads its secret from, as its manifest names them. */
export function listSecretVariables(settings: Pick<ConnectorSettings, "manifest">): string[] {
  const fields = readConnectorManifest(settings).setup?.credential_capture?.fields ?? [];
  // Several secrets are several values, which one password cannot be.
  const secret = fields.filter((field) => field.secret === true);
  return secret.length === 1 ? (secret[0]?.env ?? []) : [];
}
