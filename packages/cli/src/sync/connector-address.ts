import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { listSecretVariables } from "@rungs/sources";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { readCommonSettings } from "./source-options.ts";

/** Reads the settings of a connector from the command line: the file of its manifest, and its program. */
export function readConnectorSettings(manifest: string, call: CommandCall): Record<string, unknown> {
  const words = call.options("program");
  if (words.length === 0)
    throw new UsageError(
      "Name the connector's program with --program, and each argument with another --program.",
    );
  const { ca: _, ...streams } = readCommonSettings(call);
  const variables = readPairs(call, "variable");
  const settings = {
    manifest: resolve(manifest),
    // It runs in a separate folder, so that files are named by their whole path.
    command: words.map((word) => (word.includes("/") && existsSync(word) ? resolve(word) : word)),
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...streams,
  };
  const named = call.options("secret-variable");
  const secret_variables = named.length > 0 ? named : listSecretVariables(settings);
  return { ...settings, ...(secret_variables.length === 0 ? {} : { secret_variables }) };
}

/** Reads options of the form NAME=VALUE. */
export function readPairs({ options }: CommandCall, name: string): Record<string, string> {
  return Object.fromEntries(
    options(name).map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`--${name} takes NAME=VALUE.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
