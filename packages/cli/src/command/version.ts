import { readFileSync } from "node:fs";

/** The version of the package, read from two folders below it, as in the bundle. Loading the server for its version takes longer than all the rest. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
