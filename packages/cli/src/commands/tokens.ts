/** `rungs token …`: the owner's tokens, introspection credentials, and the list of every token. */
import {
  createIntrospectionCredential,
  createOwnerToken,
  createWriteToken,
  listTokens,
  OWNER_TOKEN_MS,
  revokeToken,
  type TokenSummary,
} from "@rungs/server";
import type { Command, CommandCall, CommandOption } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { requireDurationMs } from "../command/option-values.ts";
import { renderTable } from "../command/table.ts";
import { describeState } from "../grants/grant-text.ts";
import { asOwner, readAsOwner } from "../home/database.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const HEADINGS = ["TOKEN", "KIND", "CLIENT", "GRANTS", "MADE", "STATE"];

const expiryOptions: Readonly<Record<string, CommandOption>> = {
  expires: {
    type: "string",
    value: "30d",
    about: `how long it works; ${OWNER_TOKEN_MS / DAY_MS} days by default`,
  },
};

/** `rungs token owner`: a token with every right of the owner, printed once. */
export const tokenOwner: Command = {
  options: expiryOptions,
  async run(call) {
    const made = await asOwner(call, async (owner) => {
      const expires_at_ms = computeExpiryMs(call, owner.now());
      const token = await createOwnerToken(owner, expires_at_ms);
      return { token, expires_at: new Date(expires_at_ms).toISOString() };
    });
    call.io.out(call.flag("json") ? JSON.stringify(made) : made.token);
    return Exit.done;
  },
};

/** `rungs token write`: a token that only writes, to one connection, printed once. */
export const tokenWrite: Command = {
  options: expiryOptions,
  async run(call) {
    const [connection_id = ""] = call.operands;
    const made = await asOwner(call, async (owner) => {
      const expires_at_ms = computeExpiryMs(call, owner.now());
      const token = await createWriteToken(owner, connection_id, expires_at_ms);
      return { token, connection_id, expires_at: new Date(expires_at_ms).toISOString() };
    });
    call.io.out(call.flag("json") ? JSON.stringify(made) : made.token);
    return Exit.done;
  },
};

/** `rungs token introspection`: a credential for a separate resource server (RFC 7662), printed once. */
export const tokenIntrospection: Command = {
  options: expiryOptions,
  async run(call) {
    const [name = ""] = call.operands;
    const made = await asOwner(call, async (owner) => {
      const expires_at_ms = computeExpiryMs(call, owner.now());
      const credential = await createIntrospectionCredential(owner, name, expires_at_ms);
      return { ...credential, expires_at: new Date(expires_at_ms).toISOString() };
    });
    call.io.out(call.flag("json") ? JSON.stringify(made) : `${made.client_id}:${made.client_secret}`);
    return Exit.done;
  },
};

function computeExpiryMs({ option }: CommandCall, now_ms: number): number {
  const expires = option("expires");
  return now_ms + (expires === undefined ? OWNER_TOKEN_MS : requireDurationMs(expires, "expires"));
}

/** `rungs token list`: every valid token, by an id that grants no access. */
export const tokenList: Command = {
  options: {
    all: { type: "boolean", about: "also expired and revoked ones, which are kept for 30 days" },
  },
  async run(call) {
    const listed = await readAsOwner(call, listTokens);
    const tokens = call.flag("all") ? listed : listed.filter(({ is_live }) => is_live);
    call.io.out(
      call.flag("json") ? JSON.stringify({ tokens }) : renderTable(HEADINGS, tokens.map(listCells)),
    );
    return Exit.done;
  },
};

function listCells({ token_id, kind, client_id, grant_ids, created_at, ...end }: TokenSummary): string[] {
  const state = describeState(end.revoked_at, end.expires_at);
  return [token_id, kind, client_id, grant_ids.join(" "), created_at ?? "", state];
}

/** `rungs token revoke`: ends a token from the next request on. */
export const tokenRevoke: Command = {
  async run(call) {
    const [id = ""] = call.operands;
    const token = await asOwner(call, (owner) => revokeToken(owner, id));
    call.io.out(call.flag("json") ? JSON.stringify(token) : describeRevoked(token));
    return Exit.done;
  },
};

/** Revoking a client's token does not end its access: its grant issues the next token. */
function describeRevoked({ token_id, kind, grant_ids, revoked_at, expires_at }: TokenSummary): string {
  const sentence = `${token_id} (${kind}): ${describeState(revoked_at, expires_at)}.`;
  if (grant_ids.length === 0) return sentence;
  return `${sentence} Its client can get another token until you run rungs grant revoke ${grant_ids.join(" ")}`;
}
