import { UsageError } from "./command/exit.ts";

/** The port that servers take by themselves. */
export const DEFAULT_PORT = "7717";

/** Reads the number of a port. */
export function requirePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port takes a number up to 65535, not ${text}.`);
  return port;
}
