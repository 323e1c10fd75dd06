import { readFileSync } from "node:fs";

/**
 * The version of the package, which is two folders up, here as in the bundle. Loading the server for its version would
 * take longer than everything else.
 */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
