import { createIntrospectionCredential } from "@rungs/server";
import type { Command } from "../command.ts";
import { asOwner } from "../database.ts";
import { Exit } from "../exit.ts";

/** `rungs token introspection`: a credential for a resource server apart (RFC 7662), printed once. */
export const tokenIntrospection: Command = {
  async run(call) {
    const [name = ""] = call.operands;
    const made = await asOwner(call, (parts) => createIntrospectionCredential(parts, name));
    call.io.out(call.flag("json") ? JSON.stringify(made) : `${made.client_id}:${made.client_secret}`);
    return Exit.done;
  },
};
