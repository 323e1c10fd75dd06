import { OWNER_TOKEN_MS } from "@rungs/server";
import type { CommandCall, CommandOption } from "./command/command.ts";
import { requireDurationMs } from "./command/option-values.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The options of a command that hands out a token of the owner's. */
export const tokenOptions: Readonly<Record<string, CommandOption>> = {
  expires: {
    type: "string",
    value: "30d",
    about: `how long it works; ${OWNER_TOKEN_MS / DAY_MS} days when left out`,
  },
};

/** When the token that a command line asks for ends. */
export function tokenExpiryOf({ option }: CommandCall, now_ms: number): number {
  const expires = option("expires");
  return now_ms + (expires === undefined ? OWNER_TOKEN_MS : requireDurationMs(expires, "expires"));
}
