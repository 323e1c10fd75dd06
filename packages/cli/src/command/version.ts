import { readFileSync } from "node:fs";

/** The version of the package. Loading the server for its version would take longer than all the rest. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
