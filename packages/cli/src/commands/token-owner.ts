import { createOwnerToken } from "@rungs/server";
import type { Command } from "../command.ts";
import { asOwner } from "../database.ts";
import { Exit } from "../exit.ts";

/** `rungs token owner`: a token that may do everything, printed once. */
export const tokenOwner: Command = {
  name: "token owner",
  about: "Makes a token of the owner's, who may do everything, and prints it: this once and never again.",
  async run(call) {
    const token = await asOwner(call, createOwnerToken);
    call.io.out(call.flag("json") ? JSON.stringify({ token }) : token);
    return Exit.done;
  },
};
