import { revokeToken, type TokenSummary } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { stateOf } from "../grants/grant-text.ts";
import { asOwner } from "../home/database.ts";

/** `rungs token revoke`: ends a token from the next request on. */
export const tokenRevoke: Command = {
  async run(call) {
    const [id = ""] = call.operands;
    const token = await asOwner(call, (parts) => revokeToken(parts, id));
    call.io.out(call.flag("json") ? JSON.stringify(token) : describe(token));
    return Exit.done;
  },
};

/** A client's token is one of many: its grant gives it the next. */
function describe({ token_id, kind, grant_ids, revoked_at, expires_at }: TokenSummary): string {
  const said = `${token_id} (${kind}): ${stateOf(revoked_at, expires_at)}.`;
  if (grant_ids.length === 0) return said;
  return `${said} What its client may read ends with rungs grant revoke ${grant_ids.join(" ")}`;
}
