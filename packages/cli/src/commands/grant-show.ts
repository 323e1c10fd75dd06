import { requireGrant } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderGrant } from "../grants/grant-text.ts";
import { asOwner } from "../home/database.ts";

/** `rungs grant show`: what one grant allows. */
export const grantShow: Command = {
  async run(call) {
    const [id = ""] = call.operands;
    const found = await asOwner(call, (parts) => requireGrant(parts, id));
    call.io.out(call.flag("json") ? JSON.stringify(found) : renderGrant(found));
    return Exit.done;
  },
};
