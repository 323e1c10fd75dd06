import { revokeGrant } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { asOwner } from "../home/database.ts";

/** `rungs grant revoke`: ends a grant from the next request on. */
export const grantRevoke: Command = {
  async run(call) {
    const [grant_id = ""] = call.operands;
    const revoked = await asOwner(call, (parts) => revokeGrant(parts, grant_id));
    if (call.flag("json")) call.io.out(JSON.stringify({ grant_id, revoked }));
    else call.io.out(revoked ? `${grant_id} is revoked.` : `${grant_id} was revoked before.`);
    return Exit.done;
  },
};
