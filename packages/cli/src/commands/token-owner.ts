import { createOwnerToken } from "@rungs/server";
import type { Command } from "../command.ts";
import { asOwner } from "../database.ts";
import { Exit } from "../exit.ts";

/** `rungs token owner`: a token that may do everything, printed once. */
export const tokenOwner: Command = {
  async run(call) {
    const token = await asOwner(call, createOwnerToken);
    call.io.out(call.flag("json") ? JSON.stringify({ token }) : token);
    return Exit.done;
  },
};
