import { requireSelectionRequests } from "@rungs/contract";
import { createGrant } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { requireDurationMs } from "../command/option-values.ts";
import { renderGrant } from "../grants/grant-text.ts";
import { nameAllowed, requireSelection } from "../grants/selection.ts";
import { asOwner } from "../home/database.ts";
import { readJsonFile } from "../json-file.ts";
import { requireTime } from "../time-option.ts";

/** `rungs grant create`: lets a client read, and prints its token once. */
export const grantCreate: Command = {
  options: {
    client: { type: "string", value: "NAME", about: "who may read" },
    allow: {
      type: "string",
      multiple: true,
      value: "CONNECTION/STREAM[:FIELD,FIELD]",
      about: "what may be read; CONNECTION/* takes every stream",
    },
    since: { type: "string", value: "TIME", about: "only records from this time on" },
    until: { type: "string", value: "TIME", about: "only records before this time" },
    record: { type: "string", multiple: true, value: "ID", about: "only this record" },
    expires: { type: "string", value: "30d", about: "how long the grant stands" },
    "single-use": { type: "boolean", about: "for one token, which works for a day at most" },
    purpose: { type: "string", value: "URI", about: "what the data is for" },
    file: { type: "string", value: "FILE", about: "authorization_details as JSON, in place of --allow" },
  },
  async run(call) {
    const { option, options, flag, io } = call;
    const client_id = option("client");
    if (!client_id) throw new UsageError("--client is needed: a name for who may read.");
    const expires = option("expires");
    const file = option("file");
    const created = await asOwner(call, async (parts) => {
      const { store, owner_id, now } = parts;
      const details =
        file === undefined
          ? requireSelection(
              {
                allow: options("allow"),
                since: requireTime(option("since"), "since"),
                until: requireTime(option("until"), "until"),
                records: options("record"),
                single_use: flag("single-use"),
                purpose: option("purpose"),
              },
              await store.listConnections(owner_id),
            )
          : requireSelectionRequests(readJsonFile(file));
      const expires_at_ms = expires === undefined ? undefined : now() + requireDurationMs(expires, "expires");
      const order = { client: { client_id }, details, expires_at_ms };
      return createGrant(parts, order).catch((error) => {
        throw file === undefined ? nameAllowed(error, options("allow")) : error;
      });
    });
    if (flag("json")) io.out(JSON.stringify(created));
    else io.out(`${renderGrant(created)}\nToken, shown this once: ${created.token}`);
    return Exit.done;
  },
};
