import { createIntrospectionCredential } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { asOwner } from "../home/database.ts";
import { tokenExpiryOf, tokenOptions } from "../token-expiry.ts";

/** `rungs token introspection`: a credential for a resource server apart (RFC 7662), printed once. */
export const tokenIntrospection: Command = {
  options: tokenOptions,
  async run(call) {
    const [name = ""] = call.operands;
    const made = await asOwner(call, async (parts) => {
      const expires_at_ms = tokenExpiryOf(call, parts.now());
      const credential = await createIntrospectionCredential(parts, name, expires_at_ms);
      return { ...credential, expires_at: new Date(expires_at_ms).toISOString() };
    });
    call.io.out(call.flag("json") ? JSON.stringify(made) : `${made.client_id}:${made.client_secret}`);
    return Exit.done;
  },
};
