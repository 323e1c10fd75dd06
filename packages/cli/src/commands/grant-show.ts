import { requireGrant } from "@rungs/server";
import type { Command } from "../command.ts";
import { asOwner } from "../database.ts";
import { Exit } from "../exit.ts";
import { renderGrant } from "../grant-text.ts";

/** `rungs grant show`: what one grant allows. */
export const grantShow: Command = {
  async run(call) {
    const [id = ""] = call.operands;
    const found = await asOwner(call, (parts) => requireGrant(parts, id));
    call.io.out(call.flag("json") ? JSON.stringify(found) : renderGrant(found));
    return Exit.done;
  },
};
