import { createLoginLink, LOGIN_LINK_MS } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { asOwner } from "../home/database.ts";
import { HERE } from "../home/local-server.ts";
import { findRunning, withHome } from "../home/running-server.ts";

/** `rungs login-link`: a one-time link that signs the owner in to the console. */
export const loginLink: Command = {
  options: {
    url: {
      type: "string",
      value: "URL",
      about: `the address of the server; the running one, or ${HERE}, by default`,
    },
  },
  async run(call) {
    const running = findRunning(call);
    const url = call.option("url") ?? call.io.env.RUNGS_URL ?? running?.url ?? HERE;
    if (!URL.canParse(url)) throw new UsageError(`--url takes an address such as ${HERE}, not ${url}.`);
    const place = running === undefined ? call : withHome(call, running.home);
    const console_url = await asOwner(place, (owner) => createLoginLink(owner, url.replace(/\/+$/, "")));
    const text = `This link works once and for ${LOGIN_LINK_MS / 60_000} minutes, while rungs serve runs:\n  ${console_url}`;
    call.io.out(call.flag("json") ? JSON.stringify({ console_url }) : text);
    return Exit.done;
  },
};
