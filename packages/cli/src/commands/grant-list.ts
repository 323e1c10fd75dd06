import { listGrants } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { stateOf } from "../grants/grant-text.ts";
import { asOwner } from "../home/database.ts";

/** `rungs grant list`: every grant there ever was. */
export const grantList: Command = {
  async run(call) {
    const grants = await asOwner(call, listGrants);
    const rows = grants.map(({ grant, revoked_at }) => [
      grant.grant_id,
      grant.client.client_id,
      grant.issued_at,
      stateOf(revoked_at, grant.expires_at),
    ]);
    if (call.flag("json")) call.io.out(JSON.stringify({ grants }));
    else call.io.out(renderTable(["GRANT", "CLIENT", "ISSUED", "STATE"], rows));
    return Exit.done;
  },
};
