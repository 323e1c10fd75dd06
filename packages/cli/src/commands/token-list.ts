import { listTokens, type TokenSummary } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { stateOf } from "../grants/grant-text.ts";
import { asOwner } from "../home/database.ts";

const HEADINGS = ["TOKEN", "KIND", "CLIENT", "GRANTS", "MADE", "STATE"];

/** `rungs token list`: every key that works, by an id that opens nothing. */
export const tokenList: Command = {
  options: {
    all: { type: "boolean", about: "the ended ones too, which are remembered for 30 days" },
  },
  async run(call) {
    const listed = await asOwner(call, listTokens);
    const tokens = call.flag("all") ? listed : listed.filter(({ is_live }) => is_live);
    call.io.out(call.flag("json") ? JSON.stringify({ tokens }) : renderTable(HEADINGS, tokens.map(rowOf)));
    return Exit.done;
  },
};

function rowOf({ token_id, kind, client_id, grant_ids, created_at, ...end }: TokenSummary): string[] {
  const state = stateOf(end.revoked_at, end.expires_at);
  return [token_id, kind, client_id, grant_ids.join(" "), created_at ?? "", state];
}
