import { createOwnerToken } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { asOwner } from "../home/database.ts";
import { tokenExpiryOf, tokenOptions } from "../token-expiry.ts";

/** `rungs token owner`: a token that may do everything, printed once. */
export const tokenOwner: Command = {
  options: tokenOptions,
  async run(call) {
    const made = await asOwner(call, async (parts) => {
      const expires_at_ms = tokenExpiryOf(call, parts.now());
      const token = await createOwnerToken(parts, expires_at_ms);
      return { token, expires_at: new Date(expires_at_ms).toISOString() };
    });
    call.io.out(call.flag("json") ? JSON.stringify(made) : made.token);
    return Exit.done;
  },
};
